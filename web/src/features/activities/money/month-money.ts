/** A month's amounts: accepted, pending, and of the months before it. */
import { addMonths, type Mes, monthOf } from '#lib/dates.ts'
import { sumCents } from '#lib/money.ts'
import type { Actividad } from '../api.ts'

export type MonthMoney = { accepted: number; pending: number }
export type HistoryMonth = { mes: Mes; cents: number; share: number }

const MONTHS = 6

const cents = (list: readonly Actividad[], estado: Actividad['estado']): number =>
  sumCents(list.map((each) => (each.estado === estado ? each.presupuesto : null)))

/** A plan of several days counts once, in the month in which it begins. */
const begunIn = (mes: Mes, list: readonly Actividad[]) =>
  list.filter(({ fecha }) => monthOf(fecha) === mes)

export function moneyOf(mes: Mes, inMonth: (mes: Mes) => readonly Actividad[]): MonthMoney {
  const list = begunIn(mes, inMonth(mes))
  return { accepted: cents(list, 'aceptado'), pending: cents(list, 'pendiente') }
}

/** The open month and the five before it, accepted amounts alone; `share` is of the greatest, 0 to 1. */
export function historyOf(mes: Mes, inMonth: (mes: Mes) => readonly Actividad[]): HistoryMonth[] {
  const months = Array.from({ length: MONTHS }, (_, index) => addMonths(mes, index - MONTHS + 1))
  const amounts = months.map((month) => cents(begunIn(month, inMonth(month)), 'aceptado'))
  const greatest = Math.max(...amounts, 1)
  return months.map((month, index) => {
    const amount = amounts[index] ?? 0
    return { mes: month, cents: amount, share: amount / greatest }
  })
}
