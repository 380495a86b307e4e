import { describe, expect, it } from 'vitest'
import { type Address, HOME, inView, inWeek, readAddress, writeAddress } from './address.ts'

const PLAN = '3f2c1a90-0b1c-4d2e-8f3a-5b6c7d8e9f00'

describe('the address of the dashboard', () => {
  it.each<[Partial<Address>, string]>([
    [{}, ''],
    [{ vista: 'agenda' }, '?vista=agenda'],
    [{ vista: 'ideas' }, '?vista=ideas'],
    [{ mes: '2027-03' }, '?mes=2027-03'],
    [{ vista: 'semana', dia: '2026-12-29' }, '?vista=semana&dia=2026-12-29'],
    [{ q: 'niño & ñ=1' }, '?q=ni%C3%B1o+%26+%C3%B1%3D1'],
    [{ estado: 'rechazado' }, '?estado=rechazado'],
    [{ de: 'antes' }, '?de=antes'],
    [{ plan: PLAN }, `?plan=${PLAN}`],
    [
      { vista: 'agenda', q: 'cena', estado: 'aceptado', de: 'mi' },
      '?vista=agenda&q=cena&estado=aceptado&de=mi',
    ],
  ])('%o is %s, and back', (given, search) => {
    const address = { ...HOME, ...given }
    expect(writeAddress(address)).toBe(search)
    expect(readAddress(search)).toEqual(address)
  })

  it.each([
    '?vista=semanas',
    '?dia=2027-02-29',
    '?dia=2027-03',
    '?vista=',
    '?vista=AGENDA',
    '?vista=mes',
    '?mes=2027-13',
    '?mes=2027',
    '?mes=0000-01',
    '?mes=2027-03-01',
    '?mes=%00',
    '?estado=otro',
    '?estado=Pendiente',
    '?estado=',
    '?de=luis',
    '?de=',
    '?plan=1',
    `?plan=${PLAN}x`,
    `?plan=${PLAN.toUpperCase()}`,
    '?plan=<script>',
    '?otra=1',
    '?q=',
    '?&&=%',
  ])('%s says nothing', (search) => {
    expect(readAddress(search)).toEqual(HOME)
  })

  const TODAY = '2026-12-30'

  it.each<[Partial<Address>, 'semana' | 'agenda', Partial<Address>]>([
    [{}, 'semana', { mes: null, dia: null }],
    [{ mes: '2027-03' }, 'semana', { mes: null, dia: '2027-03-01' }],
    // The first week of January is the one that runs.
    [{ mes: '2027-01' }, 'semana', { mes: null, dia: null }],
    [{ vista: 'semana', dia: '2027-03-08' }, 'agenda', { mes: '2027-03', dia: null }],
    [{ vista: 'semana' }, 'agenda', { mes: null, dia: null }],
  ])('from %o to %s it is of the same time', (from, vista, to) => {
    expect(inView(vista, { ...HOME, ...from }, TODAY)).toEqual({ vista, ...to })
  })

  it('leaves the week that runs out', () => {
    expect(inWeek('2027-01-02', TODAY)).toEqual({ dia: null })
    expect(inWeek('2027-01-03', TODAY)).toEqual({ dia: '2027-01-03' })
  })

  it('cuts a search that is too long', () => {
    expect(readAddress(`?q=${'x'.repeat(500)}`).q).toHaveLength(100)
  })
})
