import { memo, useMemo } from 'react'
import type { Actividad } from '#features/activities/api.ts'
import { SummaryCards, totalsOf } from '#features/activities/overview/summary-cards.tsx'

type SummaryProps = { list: readonly Actividad[] | undefined }

export const Summary = memo(function Summary({ list }: SummaryProps) {
  const totals = useMemo(() => (list ? totalsOf(list) : null), [list])
  return <SummaryCards totals={totals} />
})
