import { Inbox } from 'lucide-react'
import { Button } from '#components/button.tsx'
import { type Fecha, type Mes, monthName, monthTitle } from '#lib/dates.ts'
import { waiting } from '#lib/messages.ts'
import { type WaitingMonth, waitingCount } from './waiting.ts'
import styles from './waiting-strip.module.css'

type WaitingStripProps = {
  today: Fecha
  months: readonly WaitingMonth[]
  onGo: (mes: Mes, id: string) => void
}

/** What waits for an answer, with a way to each month: the list shows one month alone. */
export function WaitingStrip({ today, months, onGo }: WaitingStripProps) {
  if (months.length === 0) return null
  return (
    <section className={`no-print ${styles.strip}`} aria-labelledby="te-toca">
      <h3 id="te-toca" className={styles.title}>
        <Inbox />
        {waiting.title}
        <span className={styles.count}>{waiting.count(waitingCount(months))}</span>
      </h3>
      <ul className={styles.months}>
        {months.map((month) => (
          <li key={month.mes}>
            <Button
              className={styles.month}
              aria-label={waiting.go(monthTitle(month.mes), month.count)}
              onClick={() => onGo(month.mes, month.firstId)}
            >
              <span className={styles.name}>{monthName(month.mes, today)}</span>
              <span className={styles.badge}>{month.count}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
