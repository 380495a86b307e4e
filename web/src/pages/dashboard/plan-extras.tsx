import { chunk, LazyChunk } from '#components/lazy-chunk.tsx'
import { useServerHas } from '#components/server-version.tsx'
import type { Actividad } from '#features/activities/api.ts'

const planCosts = chunk(() => import('#features/costs/plan-costs.tsx'))
const planPhotos = chunk(() => import('#features/photos/photos.tsx'))

type PlanExtrasProps = { actividad: Actividad; userId: string; closed: boolean }

/** The parts of a plan's sheet from other features: payments and photos. */
export default function PlanExtras({ actividad, userId, closed }: PlanExtrasProps) {
  const { id, titulo, estado } = actividad
  const hasCosts = useServerHas('costs')
  const hasPhotos = useServerHas('photos')
  return (
    <>
      {hasCosts && estado === 'aceptado' ? (
        <LazyChunk of={planCosts} plan={id} userId={userId} closed={closed} />
      ) : null}
      {hasPhotos ? (
        <LazyChunk
          of={planPhotos}
          key={id}
          plan={id}
          title={titulo}
          userId={userId}
          closed={closed}
        />
      ) : null}
    </>
  )
}
