/** The specification wants some failures logged and not shown; this is where they go. */
export function logFailure(what: string, error: unknown): void {
  console.error(`[planes] ${what}`, error)
}
