import {
  CalendarClock,
  CalendarPlus,
  CopyPlus,
  History,
  Link2,
  Pencil,
  RotateCcw,
  Trash2,
} from 'lucide-react'
import type { MenuItem } from '#components/menu.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { copyText } from '#lib/copy.ts'
import { activities, again, editing, ics, otherDate, plan as text } from '#lib/messages.ts'
import { planLink } from '#lib/paths.ts'
import type { ActivityActions } from '../activity-actions.ts'
import type { Actividad } from '../api.ts'
import { saveIcs } from '../files/save-ics.ts'

type Plan = {
  actividad: Actividad
  mine: boolean
  before: boolean
  /** Whether the menu has its history and its deletion. */
  history: boolean
  deletion: boolean
}

/** What can be done with a plan besides answering it, in the order in which it is offered. */
export function usePlanMenu(plan: Plan, actions: ActivityActions): MenuItem[] {
  const { actividad, mine, before, history, deletion } = plan
  const off = useReadOnly().title
  const { estado, fecha, revision } = actividad
  // A server with the specification's schema alone has neither.
  const open = estado === 'pendiente' && !before && revision !== undefined
  const rejected = estado === 'rechazado'
  const items: (MenuItem | false)[] = [
    open &&
      mine && {
        label: editing.action,
        icon: <Pencil />,
        off,
        run: () => actions.edit(actividad),
      },
    open &&
      !mine && {
        label: otherDate.action,
        icon: <CalendarClock />,
        off,
        run: () => actions.otherDate(actividad),
      },
    {
      label: rejected ? again.propose : again.duplicate,
      icon: rejected ? <RotateCcw /> : <CopyPlus />,
      off,
      run: () => actions.again(actividad),
    },
    estado === 'aceptado' && {
      label: ics.one,
      icon: <CalendarPlus />,
      run: () => void saveIcs([actividad], `plan-${fecha}`),
    },
    {
      label: text.copyLink,
      icon: <Link2 />,
      run: () => void copyText(planLink(actividad.id, window.location.origin)),
    },
    history &&
      revision !== undefined && {
        label: text.history,
        icon: <History />,
        run: () => actions.history(actividad.id),
      },
    // The specification shows the button to the creator only.
    deletion &&
      mine && {
        label: activities.remove,
        icon: <Trash2 />,
        danger: true,
        off,
        run: () => actions.remove(actividad),
      },
  ]
  return items.filter((item) => item !== false)
}
