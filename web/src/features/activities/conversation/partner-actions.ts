/** Notifications of what the partner proposed, restored or deleted; events that come together are one. */
import type { ActividadRow } from '#lib/database.ts'
import { partnerActions as text } from '#lib/messages-later.ts'
import type { Actividad } from '../api.ts'

type PlanChange =
  | { eventType: 'INSERT'; new: ActividadRow; commit_timestamp: string }
  | { eventType: 'DELETE'; old: Partial<Pick<ActividadRow, 'id'>> }
  | { eventType: 'UPDATE' }

type PartnerAction = Pick<Actividad, 'titulo'> & {
  kind: 'proposed' | 'recovered' | 'deleted'
  serie: string
}

/** An inserted row whose `creado_en` is older than this was restored, not proposed. */
const OLDER_MS = 5000

/** Ids of plans whose deletion this page has seen. */
const gone = new Set<string | undefined>()

/**
 * Null for one's own actions, for deletions of plans that were not accepted, and for updates, for which the
 * specification has a message. A proposal of another date comes with such an update, the rejection.
 */
export function partnerActionOf(
  change: PlanChange,
  userId: string,
  list: readonly Actividad[] | undefined,
): PartnerAction | null {
  if (change.eventType === 'DELETE') {
    gone.add(change.old.id)
    const plan = list?.find(({ id }) => id === change.old.id)
    const counts = plan && plan.creador_id !== userId && plan.estado === 'aceptado'
    return counts ? { kind: 'deleted', titulo: plan.titulo, serie: '' } : null
  }
  if (change.eventType !== 'INSERT' || change.new.creador_id === userId) return null
  const { id, titulo, creado_en, serie_id, origen_id } = change.new
  const age = Date.parse(change.commit_timestamp) - Date.parse(creado_en ?? change.commit_timestamp)
  const kind = age > OLDER_MS || gone.delete(id) ? 'recovered' : 'proposed'
  if (kind === 'proposed' && origen_id) return null
  return { kind, titulo, serie: serie_id ?? '' }
}

/** One sentence for each kind of action. */
export function sentencesOf(name: string, all: readonly PartnerAction[]): string[] {
  return (['proposed', 'recovered', 'deleted'] as const).flatMap((kind) => {
    const some = all.filter((action) => action.kind === kind)
    const [first] = some
    if (!first) return []
    if (some.length === 1) return [text.one[kind](name, first.titulo)]
    const series = first.serie !== '' && some.every(({ serie }) => serie === first.serie)
    return [
      series && kind === 'proposed'
        ? text.series(name, first.titulo, some.length)
        : text.several[kind](name, some.length),
    ]
  })
}

/** Actions within this time of the first are one notification. */
const GATHER_MS = 1500

const gathered: PartnerAction[] = []

/** Says it when what came with it is there too. */
export function gather(
  action: PartnerAction | null,
  name: string,
  say: (sentence: string) => void,
): void {
  if (!action) return
  gathered.push(action)
  if (gathered.length > 1) return
  window.setTimeout(() => {
    for (const sentence of sentencesOf(name, gathered.splice(0))) say(sentence)
  }, GATHER_MS)
}
