/** Hands a file that was made here to the browser, which saves it or opens it. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // After the click has been handled: some browsers read the address late.
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
