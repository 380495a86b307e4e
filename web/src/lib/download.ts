/** Hands a file that was made here to the browser, which saves it or opens it. */
export function download(name: string, type: string, content: string | Blob): void {
  const file =
    content instanceof Blob ? content : new Blob([content], { type: `${type};charset=utf-8` })
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // After the click has been handled: some browsers read the address late.
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
