import { Mark } from '#components/mark.tsx'
import { monthTitle } from '#lib/dates.ts'
import { money } from '#lib/messages.ts'
import { formatCents } from '#lib/money.ts'
import styles from './money-line.module.css'
import type { HistoryMonth, MonthMoney } from './month-money.ts'

type MoneyLineProps = { month: MonthMoney; history: readonly HistoryMonth[] }

/** The open month's money, and on demand the six months up to it as bars. */
export function MoneyLine({ month, history }: MoneyLineProps) {
  return (
    <div className={styles.money}>
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
      <details>
        <summary className={styles.summary}>{money.history}</summary>
        {history.filter(({ cents }) => cents > 0).length < 2 ? (
          <p className={styles.none}>{money.fewMonths}</p>
        ) : (
          <Bars history={history} />
        )}
      </details>
    </div>
  )
}

function Bars({ history }: Pick<MoneyLineProps, 'history'>) {
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
