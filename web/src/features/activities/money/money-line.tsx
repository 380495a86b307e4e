import type { ReactNode } from 'react'
import { chunk, QuietLazyChunk } from '#components/lazy-chunk.tsx'
import { Mark } from '#components/mark.tsx'
import { money } from '#lib/messages.ts'
import { formatCents } from '#lib/money.ts'
import styles from './money-line.module.css'
import type { HistoryMonth, MonthMoney } from './month-money.ts'

const moneyBars = chunk(() => import('./money-bars.tsx'))

type MoneyLineProps = {
  month: MonthMoney
  history: readonly HistoryMonth[]
  /** What else is unfolded about the month's money. */
  children?: ReactNode
}

/** The open month's money, where there is any, and on demand the six months up to it as bars. */
export function MoneyLine({ month, history, children }: MoneyLineProps) {
  return (
    <div className={styles.money}>
      {month.accepted + month.pending > 0 ? (
        <p className={styles.line}>
          <span className={styles.part}>
            <Mark estado="aceptado" />
            {money.accepted} <strong>{formatCents(month.accepted)}</strong>
          </span>
          <span className={styles.part}>
            <Mark estado="pendiente" />
            {money.pending} <strong>{formatCents(month.pending)}</strong>
          </span>
        </p>
      ) : null}
      <details>
        <summary className={styles.summary}>{money.history}</summary>
        {history.filter(({ cents }) => cents > 0).length < 2 ? (
          <p className={styles.none}>{money.fewMonths}</p>
        ) : (
          <QuietLazyChunk of={moneyBars} history={history} />
        )}
      </details>
      {children}
    </div>
  )
}
