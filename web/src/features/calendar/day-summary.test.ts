import { describe, expect, it } from 'vitest'
import type { Estado } from '#lib/database.ts'
import { summarizeDay } from './day-summary.ts'

const plan = { titulo: 'Viaje', creador_id: 'ana', fecha: '2026-03-03' }

const day = (...estados: Estado[]) =>
  estados.map((estado, index) => ({ ...plan, id: `${index}`, estado }))

describe('a day of the calendar', () => {
  it('says its date, today, and what is planned', () => {
    const planned = day('pendiente', 'aceptado')
    expect(summarizeDay('2026-03-03', planned, '2026-03-03').name).toBe(
      'martes, 3 de marzo de 2026, hoy, 2 actividades: 1 pendiente, 1 aceptada',
    )
    expect(summarizeDay('2026-03-04', [], '2026-03-03').name).toBe('miércoles, 4 de marzo de 2026')
  })

  it('says which day it is of what takes several', () => {
    const trip = { ...plan, id: 'viaje', estado: 'aceptado' as const, fecha_fin: '2026-03-05' }
    expect(summarizeDay('2026-03-04', [trip], '2026-03-01').name).toBe(
      'miércoles, 4 de marzo de 2026, 1 actividad: 1 aceptada, Viaje (día 2 de 3)',
    )
  })

  it('counts in the plural', () => {
    const planned = day('pendiente', 'pendiente', 'rechazado', 'rechazado')
    expect(summarizeDay('2026-03-04', planned, '2026-03-03').name).toBe(
      'miércoles, 4 de marzo de 2026, 4 actividades: 2 pendientes, 2 rechazadas',
    )
  })

  it('shows three marks at most, then the remainder', () => {
    const five = summarizeDay(
      '2026-03-04',
      day('pendiente', 'pendiente', 'aceptado', 'rechazado', 'rechazado'),
      '2026-03-03',
    )
    expect(five).toMatchObject({ marks: ['pendiente', 'pendiente', 'aceptado'], more: 2 })
    expect(summarizeDay('2026-03-04', day('aceptado'), '2026-03-03').more).toBe(0)
  })
})
