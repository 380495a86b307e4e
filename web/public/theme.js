// Runs before the first paint so that a remembered theme never flashes; src/lib/theme.ts owns the rest.
try {
  const theme = localStorage.getItem('planes.tema')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be forbidden; the system's theme applies.
}
