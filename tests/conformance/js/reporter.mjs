// Writes one JSON line for each test that ended, for test_javascript.py.

export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      yield `${JSON.stringify({ output: data.message })}\n`
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { error } = data.details
    const cause = error?.cause ?? error
    yield `${JSON.stringify({
      name: data.name,
      passed: type === 'test:pass' && !data.skip && !data.todo,
      seconds: data.details.duration_ms / 1000,
      error: error ? String(cause?.stack ?? cause) : null,
    })}\n`
  }
}
