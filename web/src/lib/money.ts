/** Money: euros at the edges, whole cents in every sum. */

const CURRENCY = 'EUR'
/** The column is numeric(12,2). */
const MAX_CENTS = 999_999_999_999

/** Made at first use: creating it is slow. */
let euros: Intl.NumberFormat | undefined

export const toCents = (amount: number): number => Math.round(amount * 100)

/** '1234,50 €', '12.345,67 €', with a no-break space before the sign. */
export function formatCents(cents: number): string {
  euros ??= new Intl.NumberFormat('es-ES', { style: 'currency', currency: CURRENCY })
  return euros.format(cents / 100)
}

export const formatEuros = (amount: number): string => formatCents(toCents(amount))

/** Adds amounts without the error of binary fractions; null counts for nothing. */
export function sumCents(amounts: Iterable<number | null>): number {
  let cents = 0
  for (const amount of amounts) if (amount !== null) cents += toCents(amount)
  return cents
}

type ParsedBudget =
  | { ok: true; value: number | null }
  | { ok: false; reason: 'not-a-number' | 'negative' | 'too-precise' | 'too-large' }

const PLAIN = /^-?(\d+[.,]?\d*|[.,]\d+)$/
/** '1.234', '1.000.000', '1.234,50': in Spanish a point before three digits groups thousands. */
const POINTS = /^-?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$/
/** '1,234.50', '1,000,000': a single comma before three digits may be a decimal one. */
const COMMAS = /^-?[1-9]\d{0,2}((,\d{3})+\.\d*|(,\d{3}){2,})$/

/** Reads what people type: '12,50', '12.50', ',5', '1.234', '1.234,50', '1,234.50'. Empty is null. */
export function parseBudget(text: string): ParsedBudget {
  const typed = text.replace(/[\s€]/g, '')
  if (typed === '') return { ok: true, value: null }
  let plain = typed
  if (POINTS.test(typed)) plain = typed.replaceAll('.', '')
  else if (COMMAS.test(typed)) plain = typed.replaceAll(',', '')
  if (!PLAIN.test(plain)) return { ok: false, reason: 'not-a-number' }
  const [, decimals = ''] = plain.split(/[.,]/)
  const value = Number(plain.replace(',', '.'))
  if (value < 0) return { ok: false, reason: 'negative' }
  if (decimals.length > 2) return { ok: false, reason: 'too-precise' }
  if (toCents(value) > MAX_CENTS) return { ok: false, reason: 'too-large' }
  return { ok: true, value: value === 0 ? 0 : value }
}

/** How an amount with grouped thousands was read; null if it is unambiguous. */
export function readAs(text: string): string | null {
  if (!/[.,]\d{3}/.test(text)) return null
  const budget = parseBudget(text)
  return budget.ok && budget.value !== null ? formatEuros(budget.value) : null
}

/** A stored amount as the form's input value: '12,50', or '' for none. */
export const budgetText = (amount: number | null): string =>
  amount === null ? '' : amount.toFixed(2).replace('.', ',').replace(/,00$/, '')
