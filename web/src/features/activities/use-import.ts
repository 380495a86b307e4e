import { useEffect, useRef, useState } from 'react'
import type { Profile } from '#lib/database.ts'
import { logFailure } from '#lib/log.ts'
import { importing as text } from '#lib/messages-later.ts'
import { notify, serverSentence } from '#lib/notify.ts'
import { type Changes, createActividad } from './api.ts'
import { toRow } from './draft.ts'
import { useReload } from './use-activities.ts'

/** So many are proposed in one request. */
const BATCH = 50

export type Failure = { plan: Changes; sentence: string }

/** An error that the database raised about a row, by its SQLSTATE; any other would come for every row. */
const isOfARow = (error: unknown): boolean =>
  /^[0-9A-Z]{5}$/.test((error as { code?: string } | null)?.code ?? '')

function unmade(plans: readonly Changes[], error: unknown): Failure[] {
  logFailure('import', error)
  return plans.map((plan) => ({ plan, sentence: serverSentence(error) }))
}

/** Proposes many plans, some at a time. Leaving midway stops after what is on its way, and says how far it came. */
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

  const insert = (plans: readonly Changes[]) =>
    createActividad(plans.map((plan) => toRow(plan, { userId, parejaId })))

  /** Where one row is refused, none of its batch is made: then each is proposed by itself. */
  const propose = async (plans: readonly Changes[]): Promise<Failure[]> => {
    try {
      await insert(plans)
      return []
    } catch (error) {
      if (!isOfARow(error)) throw error
      if (plans.length === 1) return unmade(plans, error)
      const failed: Failure[] = []
      for (const plan of plans) failed.push(...(left.current ? [] : await propose([plan])))
      return failed
    }
  }

  /** True where all are proposed. */
  const run = async (plans: readonly Changes[]): Promise<boolean> => {
    const failed: Failure[] = []
    let sent = 0
    setFailures([])
    while (sent < plans.length && !left.current) {
      setProgress({ done: sent - failed.length, of: plans.length })
      const batch = plans.slice(sent, sent + BATCH)
      try {
        failed.push(...(await propose(batch)))
        sent += batch.length
      } catch (error) {
        // What stops one stops all: the rest is not tried.
        failed.push(...unmade(plans.slice(sent), error))
        sent = plans.length
      }
    }
    void reload.now()
    const made = sent - failed.length
    if (made === plans.length) notify.success(text.done(made))
    else notify.error(text.partly(made, plans.length))
    setProgress(null)
    setFailures(failed)
    return made === plans.length
  }

  return { run, progress, failures }
}
