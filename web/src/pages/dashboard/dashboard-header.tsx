import { LogOut, Plus, Search, Settings } from 'lucide-react'
import { useState } from 'react'
import { Brand } from '#components/brand.tsx'
import { Button } from '#components/button.tsx'
import { PersonSign } from '#components/people.tsx'
import { useReadOnly } from '#components/read-only.tsx'
import { useMediaQuery } from '#hooks/use-media-query.ts'
import { activities, dashboard, search, settings } from '#lib/messages.ts'
import type { Person } from '#lib/people.ts'
import styles from './dashboard-header.module.css'
import { useToastLane } from './use-toast-lane.ts'

type DashboardHeaderProps = {
  people: readonly Person[]
  onCreate: () => void
  onSearch: () => void
  onSettings: () => void
  onSignOut: () => Promise<void>
}

/** One row at every width, always in view; its empty middle is where notifications come. */
export function DashboardHeader(props: DashboardHeaderProps) {
  const { people, onCreate, onSearch, onSettings, onSignOut } = props
  const [leaving, setLeaving] = useState(false)
  const lane = useToastLane()
  const named = useMediaQuery('(min-width: 1280px)')
  const searchable = useMediaQuery('(min-width: 768px)')
  const readOnly = useReadOnly()
  const [self] = people
  const together =
    people.length === 2 ? dashboard.together(people.map(({ nombre }) => nombre)) : null
  const leave = () => {
    setLeaving(true)
    void onSignOut().finally(() => setLeaving(false))
  }
  return (
    <header className={styles.header}>
      <div className={styles.row}>
        <Brand className={styles.brand} />
        <h1 className={styles.greeting}>{dashboard.greeting(self?.nombre ?? '')}</h1>
        <div ref={lane} className={styles.lane} />
        <span className={styles.people}>
          {people.map((person) => (
            <PersonSign key={person.id} person={person} />
          ))}
          {together === null ? null : (
            <span className={named ? styles.names : 'sr-only'} dir="auto">
              {together}
            </span>
          )}
        </span>
        <div className={`no-print ${styles.create}`}>
          <Button
            {...readOnly}
            variant="primary"
            icon={<Plus className={styles.sign} />}
            onClick={onCreate}
          >
            {activities.create}
          </Button>
        </div>
        <div className={`no-print ${styles.tools}`}>
          {searchable ? (
            <Button variant="quiet" icon={<Search className={styles.sign} />} onClick={onSearch}>
              {search.action}
            </Button>
          ) : null}
          <Button
            variant="quiet"
            className={styles.settings}
            aria-label={settings.title}
            aria-haspopup="dialog"
            icon={<Settings className={styles.sign} />}
            onClick={onSettings}
          >
            <span className={styles.word}>{settings.title}</span>
          </Button>
          <Button
            variant="quiet"
            className={styles.leave}
            busy={leaving}
            icon={<LogOut className={styles.icon} />}
            onClick={leave}
          >
            {dashboard.signOut}
          </Button>
        </div>
      </div>
    </header>
  )
}
