import { monthTitle } from '#lib/dates.ts'
import { money } from '#lib/messages.ts'
import { formatCents } from '#lib/money.ts'
import styles from './money-bars.module.css'
import type { HistoryMonth } from './month-money.ts'

/** Six months' amounts as bars, in a table that has the numbers too. */
export default function MoneyBars({ history }: { history: readonly HistoryMonth[] }) {
  return (
    <table className={styles.table}>
      <thead className="sr-only">
        <tr>
          <th scope="col">{money.month}</th>
          <th scope="col">{money.amount}</th>
        </tr>
      </thead>
      <tbody>
        {history.map(({ mes, cents, share }) => (
          <tr key={mes}>
            <th scope="row" className={styles.name}>
              {monthTitle(mes)}
            </th>
            <td className={styles.cell}>
              <span className={styles.track}>
                {cents > 0 ? (
                  <span className={styles.bar} style={{ width: `${share * 100}%` }} />
                ) : null}
              </span>
              <span className={styles.amount}>{formatCents(cents)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
