import { Wallet } from 'lucide-react'
import { Mark } from '#components/mark.tsx'
import { dashboard } from '#lib/messages.ts'
import { formatCents, sumCents } from '#lib/money.ts'
import type { Actividad } from '../api.ts'
import styles from './summary-cards.module.css'

type Totals = { pending: number; accepted: number; cents: number }

/** Counts over every activity the server returned, whatever the month. */
export function totalsOf(list: readonly Actividad[]): Totals {
  const accepted = list.filter(({ estado }) => estado === 'aceptado')
  return {
    pending: list.filter(({ estado }) => estado === 'pendiente').length,
    accepted: accepted.length,
    cents: sumCents(accepted.map(({ presupuesto }) => presupuesto)),
  }
}

const UNKNOWN = '–'

export function SummaryCards({ totals }: { totals: Totals | null }) {
  return (
    <section aria-label={dashboard.summary}>
      <dl className={styles.cards}>
        <div className={styles.card}>
          <dt className={styles.label}>
            <Mark estado="pendiente" />
            <span className={styles.word}>
              <span className="sr-only">{dashboard.counted} </span>
              {dashboard.pending}
            </span>
          </dt>
          <dd className={styles.figure}>{totals?.pending ?? UNKNOWN}</dd>
        </div>
        <div className={styles.card}>
          <dt className={styles.label}>
            <Mark estado="aceptado" />
            <span className={styles.word}>
              <span className="sr-only">{dashboard.counted} </span>
              {dashboard.accepted}
            </span>
          </dt>
          <dd className={styles.figure}>{totals?.accepted ?? UNKNOWN}</dd>
        </div>
        <div className={styles.card}>
          <dt className={styles.label}>
            <Wallet className={styles.sign} />
            {dashboard.budget}
          </dt>
          <dd className={styles.figure}>{totals ? formatCents(totals.cents) : UNKNOWN}</dd>
        </div>
      </dl>
    </section>
  )
}
