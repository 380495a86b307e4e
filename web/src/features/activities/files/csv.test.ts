import { describe, expect, it } from 'vitest'
import { ANA } from '#testing/backend.ts'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from '../api.ts'
import { toCsv } from './csv.ts'

const people = [{ id: ANA, nombre: 'Ana', initials: 'A', tone: 1 as const }]
const activity = (given: Partial<Actividad>) =>
  rowOf({ id: 'a', fecha: '2026-03-01', ...given } as Partial<Actividad> & {
    id: string
  }) as Actividad
const lines = (...list: Actividad[]) => toCsv(list, people).split('\r\n')

describe('the table for spreadsheets', () => {
  it('has semicolons, decimal commas and a mark of UTF-8', () => {
    const plan = activity({ titulo: 'Cena', presupuesto: 1234.5, hora: '21:30:00', lugar: 'Casa' })
    const [head, row, end] = lines(plan)
    expect(head).toBe(
      '\ufeffFecha;Último día;Hora;Hasta;Título;Lugar;Descripción;Presupuesto;Estado;Propuesta por',
    )
    expect(row).toBe('2026-03-01;;21:30;;Cena;Casa;;1234,50;Pendiente;Ana')
    expect(end).toBe('')
  })

  it.each(['=1+1', '+34600', '-5', '@SUM(A1)', '\t=1', '\r=1'])(
    'C5.4 leaves %j as text',
    (titulo) => {
      expect(toCsv([activity({ titulo })], people)).toContain(`;"'${titulo}";`)
    },
  )

  it('quotes what would end a cell', () => {
    expect(lines(activity({ titulo: 'a;b "c"' }))[1]).toContain(';"a;b ""c""";')
  })
})
