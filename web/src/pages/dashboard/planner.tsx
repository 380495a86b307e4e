import { use, useMemo, useState } from 'react'
import { chunk, LazyChunk, QuietLazyChunk } from '#components/lazy-chunk.tsx'
import { Page } from '#components/page.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { LIST_TITLE_ID } from '#features/activities/activity-actions.ts'
import {
  ActivityFormDialog,
  fetchActivityForm,
} from '#features/activities/form/activity-form-dialog.tsx'
import { ActivityList } from '#features/activities/list/activity-list.tsx'
import { DeletionDialog } from '#features/activities/list/deletion-dialog.tsx'
import { MonthTools } from '#features/activities/money/month-tools.tsx'
import { Upcoming } from '#features/activities/overview/upcoming.tsx'
import { WaitingCards } from '#features/activities/overview/waiting-cards.tsx'
import { MonthCalendar } from '#features/calendar/month-calendar.tsx'
import { OfflineStrip } from '#features/offline/strip.tsx'
import type { Profile } from '#features/profile/api.ts'
import { aroundDays, inYear } from '#features/special/special-days.ts'
import { SpecialDays, SpecialDaysAhead } from '#features/special/special-days-context.tsx'
import { useAfterPaint } from '#hooks/use-after-paint.ts'
import { useMediaQuery } from '#hooks/use-media-query.ts'
import { usePrefetch } from '#hooks/use-prefetch.ts'
import { HOME, inView, inWeek } from '#lib/address.ts'
import { type Mes, monthOf, monthTitle, weekOf } from '#lib/dates.ts'
import { deviceId } from '#lib/device.ts'
import { logFailure } from '#lib/log.ts'
import { dashboard } from '#lib/messages.ts'
import type { Person } from '#lib/people.ts'
import { photosWaiting } from '#lib/stored.ts'
import { MonthAccounts } from './costs.tsx'
import { DashboardHeader } from './dashboard-header.tsx'
import { OpenPlan } from './open-plan.tsx'
import { OtherDate } from './other-date.tsx'
import { Pairing } from './pairing.tsx'
import styles from './planner.module.css'
import { Summary } from './summary.tsx'
import type { DashboardData } from './use-dashboard-data.ts'
import { usePlanner } from './use-planner.ts'
import { useSettingsAddress } from './use-settings-address.ts'
import { ViewSwitch } from './view-switch.tsx'

const ideas = chunk(() => import('#features/ideas/ideas.tsx'))
const week = chunk(() => import('#features/calendar/week.tsx'))
const leaveQuestion = chunk(() => import('#features/photos/leave-question.tsx'))
const agendaChunk = chunk(() => import('#features/activities/agenda/agenda.tsx'))

/** Signing out waits this long (ms) for the server to forget the device; pushes are not shown afterwards anyway. */
const SIGN_OUT_TIMEOUT_MS = 2000

type PlannerProps = {
  profile: Profile
  people: readonly Person[]
  data: DashboardData
  onSignOut: () => Promise<void>
}

/** Pending and coming plans, counts, the month with its list, and their dialogs. */
export function Planner(props: PlannerProps) {
  const { profile, people, data, onSignOut } = props
  const planner = usePlanner(profile, data)
  const { mes, today, index, draft, goToItem, waiting, address, go } = planner
  const settings = useSettingsAddress()
  const [leaving, setLeaving] = useState(false)
  const [seeking, setSeeking] = useState(false)
  usePrefetch(data.common !== undefined, fetchActivityForm)
  const wide = useMediaQuery('(min-width: 1200px)')
  // A server without ideas shows none, whatever the address says.
  const hasIdeas = useServerHas('ideas')
  const vista = address.vista === 'ideas' && !hasIdeas ? 'mes' : address.vista
  // The button is rendered at once; replacing a long month by another view happens in a later rendering.
  const shown = useAfterPaint(vista)
  const loaded = data.common !== undefined
  const count = waiting.length
  const search = () => {
    setSeeking(true)
    if (vista !== 'agenda') go(inView('agenda', address, today), 'push later')
  }
  const leave = () => {
    go(HOME, 'replace')
    return leaveDevice().then(onSignOut)
  }
  return (
    <div className={styles.frame} data-print-title={printTitle(people, mes)}>
      <a className={`no-print ${styles.skip}`} href={`#${LIST_TITLE_ID}`}>
        {dashboard.skip}
      </a>
      <DashboardHeader
        people={people}
        onCreate={() => draft.openIn(mes, today)}
        onSearch={search}
        onSettings={settings.open}
        onSignOut={async () => (photosWaiting.get() === null ? leave() : setLeaving(true))}
      />
      <Page
        title={count > 0 ? `(${count}) ${dashboard.title}` : dashboard.title}
        className={styles.page}
      >
        <OfflineStrip offline={data.offline} />
        <Pairing profile={profile} data={data} settings={settings} />
        <div className={`${styles.planner} ${loaded ? '' : styles.loading}`} aria-busy={!loaded}>
          <div className={styles.lead}>
            {loaded ? null : <Bones />}
            <WaitingCards
              list={waiting}
              all={data.common ?? waiting}
              userId={profile.id}
              few={wide ? 3 : 2}
              onShow={planner.actions.open}
              onShowDay={planner.showDay}
            />
            <SpecialDaysAhead today={today} />
            {loaded ? (
              <Upcoming list={planner.upcoming} today={today} onShow={planner.actions.open} />
            ) : null}
            <Summary list={data.common} />
          </div>
          <ViewSwitch
            vista={vista}
            onChange={(vista) => go(inView(vista, address, today), 'push later')}
          />
          {shown === 'mes' ? <MonthAndList {...props} planner={planner} /> : null}
          {shown === 'semana' ? <Week planner={planner} /> : null}
          {shown === 'ideas' ? (
            <div id={LIST_TITLE_ID} tabIndex={-1} className={styles.agenda}>
              <LazyChunk
                of={ideas}
                userId={profile.id}
                common={profile.pareja_id ?? profile.id}
                onDate={draft.openIdea}
              />
            </div>
          ) : null}
          {shown === 'agenda' ? (
            <div id={LIST_TITLE_ID} tabIndex={-1} className={styles.agenda}>
              <LazyChunk
                of={agendaChunk}
                common={data.common ?? []}
                before={data.before}
                userId={profile.id}
                partnerName={data.partner?.nombre ?? null}
                today={today}
                address={address}
                seeking={seeking}
                onSought={() => setSeeking(false)}
                onChange={(change) => go(change, 'replace later')}
                changed={data.news}
                notes={planner.notes}
                actions={planner.actions}
              />
            </div>
          ) : null}
        </div>
      </Page>
      <ActivityFormDialog
        open={draft.open}
        draft={draft.draft}
        today={today}
        byDay={index.byDay}
        onChange={draft.change}
        onClose={draft.close}
        editing={draft.edited}
        mayRepeat={!draft.ideaId}
        onSubmit={planner.submit}
        onShow={({ fecha, id }) => goToItem(monthOf(fecha), id)}
      />
      {leaving ? (
        <QuietLazyChunk
          of={leaveQuestion}
          onStay={() => setLeaving(false)}
          onLeave={() => void leave()}
        />
      ) : null}
      <OpenPlan
        id={address.plan}
        all={data.all}
        before={data.before}
        deleted={data.deleted}
        userId={profile.id}
        partnerName={data.partner?.nombre ?? null}
        notes={planner.notes}
        history={planner.history}
        actions={planner.actions}
        onForget={() => go({ plan: null }, 'replace')}
      />
      <OtherDate
        ready={loaded}
        asked={planner.dateAsked}
        userId={profile.id}
        onClose={planner.dateDone}
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

/** «Planes de Ana y Luis · Noviembre de 2026», above what is printed. */
const printTitle = (people: readonly Person[], mes: Mes): string => {
  const names = people.map(({ nombre }) => nombre)
  const month = monthTitle(mes)
  return dashboard.printed(names, month.charAt(0).toUpperCase() + month.slice(1))
}

/** Shown in place of the pending and coming plans. */
function Bones() {
  return (
    <div className={styles.bones} aria-hidden="true">
      <div className={styles.bone} />
      <div className={styles.bone} />
    </div>
  )
}

type MonthAndListProps = PlannerProps & { planner: ReturnType<typeof usePlanner> }

/** The server forgets a device before the session that it was registered by ends. */
async function leaveDevice(): Promise<void> {
  if (deviceId.get() === null) return
  const late = new Promise((done) => window.setTimeout(done, SIGN_OUT_TIMEOUT_MS))
  const gone = import('#features/alerts/push.ts').then(({ turnOff }) => turnOff())
  await Promise.race([gone, late]).catch((error) => logFailure('device', error))
}

/** The open week, in place of the calendar. */
function Week({ planner }: { planner: ReturnType<typeof usePlanner> }) {
  const { address, go, today, index } = planner
  const days = use(SpecialDays)
  const shown = weekOf(address.dia ?? today)
  return (
    <div id={LIST_TITLE_ID} tabIndex={-1} className={styles.agenda}>
      <LazyChunk
        of={week}
        days={shown}
        today={today}
        byDay={index.byDay}
        special={aroundDays(shown, days)}
        onWeek={(day) => go(inWeek(day, today), 'replace later')}
        onDay={planner.openDay}
        onPlan={planner.actions.open}
      />
    </div>
  )
}

/** The calendar and the open month's plans. */
function MonthAndList({ profile, data, planner }: MonthAndListProps) {
  const { mes, listMes, today, index, former } = planner
  const days = use(SpecialDays)
  const special = useMemo(() => inYear(Number(mes.slice(0, 4)), days), [mes, days])
  const loaded = data.common !== undefined
  // One object while nothing in it changes, so that typing in the dialog does not touch the list.
  const tools = useMemo(
    () =>
      loaded ? (
        <MonthTools mes={listMes} index={index}>
          <MonthAccounts mes={listMes} />
        </MonthTools>
      ) : null,
    [loaded, listMes, index],
  )
  return (
    <>
      <div className={styles.month}>
        <MonthCalendar
          mes={mes}
          today={today}
          byDay={index.byDay}
          special={special}
          onMonth={planner.openMonth}
          onDay={planner.openDay}
          focusRequest={planner.dayRequest}
        />
      </div>
      <div className={styles.list}>
        <ActivityList
          mes={listMes}
          today={today}
          list={loaded ? index.inMonth(listMes) : null}
          before={former.inMonth(listMes)}
          userId={profile.id}
          changed={data.news}
          notes={planner.notes}
          actions={planner.actions}
          focusRequest={planner.itemRequest}
        >
          {tools}
        </ActivityList>
      </div>
    </>
  )
}
