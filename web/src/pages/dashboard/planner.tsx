import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/button.tsx'
import { ConfirmDialog } from '#components/dialog.tsx'
import { ActivityFormDialog } from '#features/activities/activity-form-dialog.tsx'
import { ActivityList } from '#features/activities/activity-list.tsx'
import { MonthCalendar } from '#features/calendar/month-calendar.tsx'
import type { Profile } from '#features/profile/api.ts'
import { activities, catalogue } from '#lib/messages.ts'
import styles from './planner.module.css'
import { type DashboardData, usePlanner } from './use-planner.ts'

type PlannerProps = { profile: Profile; data: DashboardData }

/** The month, its list, and the two dialogs that change them. */
export function Planner({ profile, data }: PlannerProps) {
  const planner = usePlanner(profile, data)
  const { mes, today, draft, deletion } = planner
  return (
    <div className={styles.planner}>
      <div className={styles.month}>
        <MonthCalendar
          mes={mes}
          today={today}
          byDay={planner.index.byDay}
          onMonth={planner.openMonth}
          onDay={draft.openOn}
          focusRequest={planner.focusRequest}
        />
      </div>
      <div className={styles.create}>
        <Button
          variant="primary"
          icon={<Plus size={20} strokeWidth={1.75} aria-hidden />}
          onClick={() => draft.openIn(mes, today)}
        >
          {activities.create}
        </Button>
      </div>
      <div className={styles.list}>
        <ActivityList
          mes={mes}
          list={data.list.data ? planner.index.inMonth(mes) : null}
          userId={profile.id}
          changed={data.news}
          actions={planner.actions}
        />
      </div>
      <ActivityFormDialog
        open={draft.open}
        draft={draft.draft}
        today={today}
        onChange={draft.change}
        onClose={draft.close}
        onCreate={planner.create}
      />
      <DeletionDialog deletion={deletion} />
    </div>
  )
}

function DeletionDialog({ deletion }: Pick<ReturnType<typeof usePlanner>, 'deletion'>) {
  const { asked, busy } = deletion
  // Keeps the title on the screen while the dialog fades after the question is settled.
  const [shown, setShown] = useState(asked)
  if (asked && asked !== shown) setShown(asked)
  return (
    <ConfirmDialog
      open={asked !== null}
      question={catalogue.deleteQuestion}
      detail={shown?.titulo ?? ''}
      onClose={deletion.cancel}
      onFocusLost={deletion.moveFocus}
      confirm={
        <Button
          variant="danger"
          busy={busy}
          icon={<Trash2 size={20} strokeWidth={1.75} aria-hidden />}
          onClick={() => void deletion.confirm()}
        >
          {activities.remove}
        </Button>
      }
    />
  )
}
