import { useMemo } from 'react'
import type { Actividad } from '#features/activities/api.ts'
import { SummaryCards, totalsOf } from '#features/activities/summary-cards.tsx'

export function Summary({ list }: { list: readonly Actividad[] | undefined }) {
  const totals = useMemo(() => (list ? totalsOf(list) : null), [list])
  return <SummaryCards totals={totals} />
}
