import { expect, it } from 'vitest'
import { rowOf } from '#testing/rows.ts'
import type { Actividad } from './api.ts'
import { notesOf } from './notes.ts'

const plan = (id: string, fecha: string, origen_id: string | null = null) =>
  rowOf({ id, fecha, origen_id }) as Actividad

it('says of both what one became and whose place the other took', () => {
  const notes = notesOf([
    plan('a', '2026-11-22'),
    plan('b', '2026-11-28', 'a'),
    plan('c', '2026-01-01'),
  ])
  expect([...notes]).toEqual([
    ['a', 'Se propuso otra fecha: sáb 28 nov'],
    ['b', 'En lugar del dom 22 nov'],
  ])
})

it('says the hours where the day is the same', () => {
  const at = (id: string, hora: string | null, origen_id: string | null) =>
    ({ ...plan(id, '2026-11-22', origen_id), hora }) as Actividad
  const list = [at('a', null, null), at('b', '21:30:00', 'a'), at('c', '22:00:00', 'b')]
  expect([...notesOf([...list, at('d', null, 'c')])]).toEqual([
    ['a', 'Se propuso otra hora: 21:30'],
    ['b', 'Se propuso otra hora: 22:00'],
    ['c', 'Se propuso otra hora: sin hora'],
    ['d', 'En lugar de las 22:00'],
  ])
  expect(notesOf(list.slice(0, 2)).get('b')).toBe('Antes no tenía hora')
  const early = [at('a', '01:30:00', null), at('b', null, 'a')]
  expect(notesOf(early).get('b')).toBe('En lugar de la 01:30')
})

it('says of the middle of a chain what became of it, in any order', () => {
  const chain = [
    plan('a', '2026-11-22'),
    plan('b', '2026-11-28', 'a'),
    plan('c', '2026-12-01', 'b'),
  ]
  for (const list of [chain, chain.toReversed()])
    expect(notesOf(list).get('b')).toBe('Se propuso otra fecha: mar 1 dic')
})

it('says nothing of a plan whose origin is gone', () => {
  expect(notesOf([plan('b', '2026-11-28', 'gone')]).size).toBe(0)
})
