import { dayOf, type Fecha, longDate, shortMonth, shortWeekday } from '#lib/dates.ts'
import { calendar } from '#lib/messages.ts'
import styles from './date-block.module.css'

type DateBlockProps = { fecha: Fecha; onShow: (fecha: Fecha) => void }

/** The date, and the way to its day in the calendar. */
export function DateBlock({ fecha, onShow }: DateBlockProps) {
  return (
    <button
      type="button"
      className={styles.date}
      aria-label={`${longDate(fecha)}. ${calendar.show}`}
      title={calendar.show}
      onClick={() => onShow(fecha)}
    >
      <time dateTime={fecha} className={styles.time}>
        <span>{shortWeekday(fecha)}</span>
        <span className={styles.day}>{dayOf(fecha)}</span>
        <span>{shortMonth(fecha)}</span>
      </time>
    </button>
  )
}
