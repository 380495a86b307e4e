import { Plus } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '#components/button.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { ActivityFormDialog } from '#features/activities/activity-form-dialog.tsx'
import { ActivityList } from '#features/activities/activity-list.tsx'
import { DeletionDialog } from '#features/activities/deletion-dialog.tsx'
import { MonthTools } from '#features/activities/month-tools.tsx'
import type { WaitingMonth } from '#features/activities/waiting.ts'
import { WaitingStrip } from '#features/activities/waiting-strip.tsx'
import { MonthCalendar } from '#features/calendar/month-calendar.tsx'
import type { Profile } from '#features/profile/api.ts'
import { monthOf } from '#lib/dates.ts'
import { activities } from '#lib/messages.ts'
import styles from './planner.module.css'
import type { DashboardData } from './use-dashboard-data.ts'
import { usePlanner } from './use-planner.ts'

type PlannerProps = {
  profile: Profile
  data: DashboardData
  waiting: readonly WaitingMonth[]
}

/** What waits, the month, its list, and the two dialogs that change them. */
export function Planner({ profile, data, waiting }: PlannerProps) {
  const planner = usePlanner(profile, data)
  const { mes, listMes, today, index, former, draft, goToItem } = planner
  const loaded = data.common !== undefined
  // One object while nothing in it changes, so that typing in the dialog does not touch the list.
  const head = useMemo(
    () => (
      <>
        <WaitingStrip today={today} months={waiting} onGo={goToItem} />
        {loaded ? <MonthTools mes={listMes} index={index} /> : null}
      </>
    ),
    [today, waiting, goToItem, loaded, listMes, index],
  )
  return (
    <div className={styles.planner}>
      <div className={styles.side}>
        <div className={styles.month}>
          <MonthCalendar
            mes={mes}
            today={today}
            byDay={index.byDay}
            onMonth={planner.openMonth}
            onDay={planner.openDay}
            focusRequest={planner.dayRequest}
          />
        </div>
        <div className={`no-print ${styles.create}`}>
          <NewButton onClick={() => draft.openIn(mes, today)} />
        </div>
      </div>
      <div className={styles.list}>
        <ActivityList
          mes={listMes}
          list={loaded ? index.inMonth(listMes) : null}
          before={former.inMonth(listMes)}
          userId={profile.id}
          changed={data.news}
          actions={planner.actions}
          focusRequest={planner.itemRequest}
        >
          {head}
        </ActivityList>
      </div>
      <ActivityFormDialog
        open={draft.open}
        draft={draft.draft}
        today={today}
        byDay={index.byDay}
        onChange={draft.change}
        onClose={draft.close}
        onCreate={planner.propose}
        onShow={({ fecha, id }) => goToItem(monthOf(fecha), id)}
      />
      <DeletionDialog
        asked={planner.deletion}
        userId={profile.id}
        shown={planner.inList}
        onClose={planner.deletionDone}
      />
    </div>
  )
}

function NewButton({ onClick }: { onClick: () => void }) {
  const readOnly = useReadOnly()
  return (
    <Button {...readOnly} variant="primary" icon={<Plus />} onClick={onClick}>
      {activities.create}
    </Button>
  )
}
