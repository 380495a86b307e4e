import { expect, it } from 'vitest'
import { peopleOf } from '#lib/people.ts'
import { ANA, LUIS } from '#testing/backend.ts'
import { sentencesOf } from './history-words.ts'
import type { HistorialRow } from './trash-api.ts'

const people = peopleOf({ id: ANA, nombre: 'Ana' }, { id: LUIS, nombre: 'Luis' })
const row = (given: Partial<HistorialRow>): HistorialRow => ({
  id: 1,
  actividad_id: 'a',
  persona_id: LUIS,
  que: 'propuesto',
  cambios: null,
  en: '2026-11-22T10:00:00Z',
  ...given,
})

it.each<[Partial<HistorialRow>, string[]]>([
  [{}, ['Luis propuso el plan']],
  [{ persona_id: ANA, que: 'aceptado' }, ['Tú lo aceptaste']],
  [{ persona_id: null, que: 'rechazado' }, ['Alguien lo rechazó']],
  [{ que: 'pendiente' }, ['Vuelve a estar pendiente']],
  [
    { que: 'editado', cambios: { presupuesto: [45.5, 60], fecha: ['2026-11-22', '2026-11-28'] } },
    [
      'Luis cambió el precio: 45,50\u00a0€ → 60,00\u00a0€',
      'Luis cambió la fecha: dom 22 nov → sáb 28 nov',
    ],
  ],
  [
    {
      que: 'editado',
      cambios: { titulo: ['2026-11-22', 'Cine'], presupuesto: [null, 0], descripcion: ['a', 'b'] },
    },
    [
      'Luis cambió el título: «2026-11-22» → «Cine»',
      'Luis cambió el precio: nada → 0,00\u00a0€',
      'Luis cambió la descripción',
    ],
  ],
])('%o reads %o', (given, sentences) => {
  expect(sentencesOf(row(given), ANA, people)).toEqual(sentences)
})
