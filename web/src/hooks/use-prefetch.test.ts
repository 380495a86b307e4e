import { renderHook, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { usePrefetch } from './use-prefetch.ts'
import { whenIdle } from './when-idle.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const onConnection = (saveData: boolean) => vi.stubGlobal('navigator', { connection: { saveData } })

describe('D3: code that a press may need', () => {
  it('comes ahead once the first list is there', async () => {
    onConnection(false)
    const load = vi.fn(() => Promise.resolve())
    const { rerender } = renderHook(({ ready }) => usePrefetch(ready, load), {
      initialProps: { ready: false },
    })
    expect(load).not.toHaveBeenCalled()
    rerender({ ready: true })
    await waitFor(() => expect(load).toHaveBeenCalledOnce())
  })

  it('waits for the press where data are saved', async () => {
    onConnection(true)
    const load = vi.fn(() => Promise.resolve())
    const sooner = vi.fn()
    renderHook(() => usePrefetch(true, load))
    whenIdle(sooner)
    await waitFor(() => expect(sooner).toHaveBeenCalled())
    expect(load).not.toHaveBeenCalled()
  })
})
