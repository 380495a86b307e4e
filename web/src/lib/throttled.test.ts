import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { throttled } from './throttled.ts'

describe('what is throttled', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('runs at once, and a burst of sixty once more', async () => {
    const run = vi.fn(async () => undefined)
    const ask = throttled(run, 300)
    for (let n = 0; n < 60; n += 1) ask()
    expect(run).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(299)
    expect(run).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(run).toHaveBeenCalledTimes(2)
  })

  it('never runs beside itself, and the last request is not lost', async () => {
    let finish = () => {}
    const run = vi.fn(() => new Promise<void>((done) => (finish = done)))
    const ask = throttled(run, 300)
    ask()
    await vi.advanceTimersByTimeAsync(5000)
    ask()
    expect(run).toHaveBeenCalledTimes(1)
    finish()
    await vi.advanceTimersByTimeAsync(0)
    expect(run).toHaveBeenCalledTimes(2)
  })

  it('goes on after a failure', async () => {
    const run = vi.fn(async () => Promise.reject(new Error('down')))
    const ask = throttled(run, 300)
    ask()
    await vi.advanceTimersByTimeAsync(300)
    ask()
    expect(run).toHaveBeenCalledTimes(2)
  })
})
