import { act, renderHook } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { openedInside, useAddress, writeAddressNow } from './use-address.ts'

const arrive = (search: string) => {
  window.history.replaceState(null, '', `/dashboard${search}`)
  act(() => void window.dispatchEvent(new PopStateEvent('popstate')))
}

beforeEach(() => {
  writeAddressNow()
  arrive('')
})

describe('an address that is written after the paint', () => {
  it('is what is shown at once, and a step of its own once it is written', () => {
    const { result } = renderHook(() => useAddress())
    const steps = window.history.length
    act(() => result.current[1]({ vista: 'agenda' }, 'push later'))
    expect(result.current[0].vista).toBe('agenda')
    expect(window.location.search).toBe('')
    writeAddressNow()
    expect(window.location.search).toBe('?vista=agenda')
    expect(window.history.length).toBe(steps + 1)
  })

  it('is one step with what replaces it meanwhile', () => {
    const { result } = renderHook(() => useAddress())
    const steps = window.history.length
    act(() => result.current[1]({ vista: 'agenda' }, 'push later'))
    act(() => result.current[1]({ q: 'cena' }, 'replace later'))
    expect(openedInside()).toBe(true)
    expect(window.location.search).toBe('?vista=agenda&q=cena')
    expect(window.history.length).toBe(steps + 1)
  })

  it("stays when a dialog's own way back leads to where it was asked for", () => {
    const { result } = renderHook(() => useAddress())
    act(() => result.current[1]({ mes: '2031-05' as never }, 'replace later'))
    arrive('')
    expect(result.current[0].mes).toBe('2031-05')
    writeAddressNow()
    expect(window.location.search).toBe('?mes=2031-05')
  })

  it('is forgotten when «back» leads elsewhere', () => {
    const { result } = renderHook(() => useAddress())
    act(() => result.current[1]({ vista: 'agenda' }, 'push later'))
    arrive('?vista=semana')
    expect(result.current[0].vista).toBe('semana')
    writeAddressNow()
    expect(window.location.search).toBe('?vista=semana')
  })
})
