import { lazy, Suspense, useState } from 'react'
import type { Actividad } from '#features/activities/api.ts'
import { usePrefetch } from '#hooks/use-prefetch.ts'

const load = () => import('#features/activities/other-date-dialog.tsx')
const OtherDateDialog = lazy(load)

type OtherDateProps = {
  /** What is seen first is there. */
  ready: boolean
  asked: Actividad | null
  userId: string
  onClose: () => void
}

/** Its dialog comes with the first question; the code for it, when there is time. */
export function OtherDate(props: OtherDateProps) {
  const [wanted, setWanted] = useState(false)
  if (props.asked && !wanted) setWanted(true)

  usePrefetch(props.ready, load)

  return <Suspense>{wanted ? <OtherDateDialog {...props} /> : null}</Suspense>
}
