/** Activities as a table that spreadsheets in Spanish open: semicolons, decimal commas, a byte order mark. */
import { activities } from '#lib/messages.ts'
import { table } from '#lib/messages-later.ts'
import type { Person } from '#lib/people.ts'
import type { Actividad } from '../api.ts'
import { clock } from '../span.ts'

const BOM = '\ufeff'

/** Spreadsheets run cells that begin like this as formulas; an apostrophe before them makes them text. */
const FORMULA = /^[=+\-@\t\r]/

function cell(text: string): string {
  const inert = FORMULA.test(text) ? `'${text}` : text
  return /[;"\n\r']/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

const rowOf = (one: Actividad, people: readonly Person[]): string[] => [
  one.fecha,
  one.fecha_fin ?? '',
  one.hora ? clock(one.hora) : '',
  one.hora_fin ? clock(one.hora_fin) : '',
  one.titulo,
  one.lugar ?? '',
  one.descripcion ?? '',
  one.presupuesto === null ? '' : one.presupuesto.toFixed(2).replace('.', ','),
  activities.status[one.estado],
  people.find(({ id }) => id === one.creador_id)?.nombre ?? '',
]

export const toCsv = (list: readonly Actividad[], people: readonly Person[]): string =>
  BOM +
  [table.columns, ...list.map((one) => rowOf(one, people))]
    .map((row) => `${row.map(cell).join(';')}\r\n`)
    .join('')
