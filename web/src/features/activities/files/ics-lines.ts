/** An iCalendar file's lines (RFC 5545): unfolded, and each taken apart. What is no such line is left out. */

export type Line = {
  /** In capitals, as BEGIN or DTSTART. */
  name: string
  params: ReadonlyMap<string, string>
  value: string
}

/** A parameter is read up to this length; a file may be one endless line. */
const MAX_HEAD = 1000

export function linesOf(text: string): Line[] {
  return text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '')
    .split('\n')
    .flatMap((line) => lineOf(line) ?? [])
}

/** The name, its parameters and the value; a quoted parameter may contain the separators. */
function lineOf(line: string): Line | null {
  const parts: string[] = []
  let quoted = false
  let start = 0
  const head = Math.min(line.length, MAX_HEAD)
  for (let at = 0; at < head; at++) {
    const sign = line[at]
    if (sign === '"') quoted = !quoted
    if (quoted || (sign !== ';' && sign !== ':')) continue
    parts.push(line.slice(start, at))
    start = at + 1
    if (sign === ':') return { ...headOf(parts), value: line.slice(start) }
  }
  return null
}

function headOf([name = '', ...params]: readonly string[]): Omit<Line, 'value'> {
  const pairs = params.map((param) => {
    const [key = '', ...rest] = param.split('=')
    return [key.trim().toUpperCase(), rest.join('=').replaceAll('"', '').trim()] as const
  })
  return { name: name.trim().toUpperCase(), params: new Map(pairs) }
}

/** Line breaks, commas, semicolons and backslashes are written with a backslash; nothing else is. */
export const unescaped = (value: string): string =>
  value.replace(/\\([nN\\;,])/g, (_, sign: string) => (sign === 'n' || sign === 'N' ? '\n' : sign))
