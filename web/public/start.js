// Runs before the first paint, while the app's own code is still on its way.

// A remembered theme must never flash; src/lib/theme.ts owns the rest.
try {
  const theme = localStorage.getItem('planes.tema')
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme
    for (const meta of document.querySelectorAll('meta[name="theme-color"]'))
      meta.media = meta.dataset.theme === theme ? 'all' : 'not all'
  }
} catch {
  // Storage may be forbidden; the system's theme applies.
}

// What this route will ask for anyway is asked for now; scripts/route-files.ts wrote the list.
const files = document.getElementById('route-files')
const { nonce } = document.currentScript
for (const href of JSON.parse(files?.textContent ?? '{}')[location.pathname] ?? []) {
  const [, kind] = href.match(/\.(css|woff2)$/) ?? []
  const link = document.createElement('link')
  link.rel = kind ? 'preload' : 'modulepreload'
  if (kind) link.as = kind === 'css' ? 'style' : 'font'
  link.crossOrigin = ''
  link.nonce = nonce
  link.href = href
  document.head.append(link)
}
