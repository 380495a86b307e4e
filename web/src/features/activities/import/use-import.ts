import { useEffect, useRef, useState } from 'react'
import type { Profile } from '#lib/database.ts'
import { logFailure } from '#lib/log.ts'
import { importing as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { randomId } from '#lib/uuid.ts'
import { type Changes, createActividad } from '../api.ts'
import type { Found } from '../files/ics-read.ts'
import { toRow } from '../form/draft.ts'
import { createSeries } from '../series/series-api.ts'
import { useReload } from '../use-activities.ts'

/** Plans in one request. */
const BATCH = 50

/** One plan, or a series of it. */
type Wanted = Pick<Found, 'plan' | 'series'>

export type Failure = { plan: Changes; sentence: string }

/** Each date is a plan. */
export const plansIn = (list: Iterable<Wanted>): number => {
  let sum = 0
  for (const { series } of list) sum += series?.count ?? 1
  return sum
}

/** A series is a request of its own. */
function batchesOf(list: readonly Wanted[]): (readonly Wanted[])[] {
  const once = list.filter(({ series }) => !series)
  const count = Math.ceil(once.length / BATCH)
  return [
    ...Array.from({ length: count }, (_, n) => once.slice(n * BATCH, (n + 1) * BATCH)),
    ...list.filter(({ series }) => series).map((one) => [one]),
  ]
}

/** An error that the database raised about a row, by its SQLSTATE; any other would come for every row. */
const isOfARow = (error: unknown): boolean =>
  /^[0-9A-Z]{5}$/.test((error as { code?: string } | null)?.code ?? '')

type Unmade = { list: readonly Wanted[]; error: unknown }

/** Proposes many plans in batches. Leaving midway stops after the current batch and reports how many were made. */
export function useImport({ id: userId, pareja_id: parejaId }: Profile) {
  const reload = useReload(userId)
  const left = useRef(false)
  const [progress, setProgress] = useState<{ done: number; of: number } | null>(null)
  const [failures, setFailures] = useState<readonly Failure[]>([])

  useEffect(() => {
    left.current = false
    return () => {
      left.current = true
    }
  }, [])

  const send = (list: readonly Wanted[]): Promise<void> => {
    const [first] = list
    return first?.series
      ? createSeries(randomId(), first.plan, first.series.regla, first.series.hasta)
      : createActividad(list.map(({ plan }) => toRow(plan, { userId, parejaId })))
  }

  /** Where one row is refused, none of its batch is made: then each is proposed by itself. */
  const propose = async (list: readonly Wanted[]): Promise<Unmade[]> => {
    try {
      await send(list)
      return []
    } catch (error) {
      if (!isOfARow(error)) throw error
      if (list.length === 1) return [{ list, error }]
      const unmade: Unmade[] = []
      for (const one of list) unmade.push(...(left.current ? [] : await propose([one])))
      return unmade
    }
  }

  /** True where all are proposed. */
  const run = async (list: readonly Wanted[]): Promise<boolean> => {
    const all = plansIn(list)
    const batches = batchesOf(list)
    const unmade: Unmade[] = []
    let tried = 0
    const made = () => tried - plansIn(unmade.flatMap(({ list }) => list))
    setFailures([])
    for (let next = 0; next < batches.length && !left.current; next += 1) {
      setProgress({ done: made(), of: all })
      const batch = batches[next] ?? []
      try {
        unmade.push(...(await propose(batch)))
        tried += plansIn(batch)
      } catch (error) {
        // Such an error would affect all rows: the rest is not tried.
        unmade.push({ list: batches.slice(next).flat(), error })
        tried = all
      }
      if (tried === all) break
    }
    void reload.now()
    if (made() === all) notify.success(text.done(all))
    else notify.error(text.partly(made(), all))
    setProgress(null)
    setFailures(unmade.flatMap(failuresOf))
    return made() === all
  }

  return { run, progress, failures }
}

function failuresOf({ list, error }: Unmade): Failure[] {
  logFailure('import', error)
  return list.map(({ plan }) => ({ plan, sentence: serverSentence(error) }))
}
