import { describe, expect, it } from 'vitest'
import { type Address, HOME, readAddress, writeAddress } from './address.ts'

const PLAN = '3f2c1a90-0b1c-4d2e-8f3a-5b6c7d8e9f00'

describe('the address of the dashboard', () => {
  it.each<[Partial<Address>, string]>([
    [{}, ''],
    [{ vista: 'agenda' }, '?vista=agenda'],
    [{ vista: 'ideas' }, '?vista=ideas'],
    [{ mes: '2027-03' }, '?mes=2027-03'],
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
    '?vista=semana',
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

  it('cuts a search that is too long', () => {
    expect(readAddress(`?q=${'x'.repeat(500)}`).q).toHaveLength(100)
  })
})
