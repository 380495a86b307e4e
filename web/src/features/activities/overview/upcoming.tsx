import { memo } from 'react'
import { daysBetween, type Fecha, longDate, shortDate } from '#lib/dates.ts'
import { activities, upcoming } from '#lib/messages.ts'
import { formatEuros } from '#lib/money.ts'
import { UPCOMING_TITLE_ID } from '../activity-actions.ts'
import type { Actividad } from '../api.ts'
import { whenOf } from '../span.ts'
import styles from './upcoming.module.css'

type UpcomingProps = {
  list: readonly Actividad[]
  today: Fecha
  onShow: (id: string) => void
}

/** The next accepted plans, and how long it is until the first. */
export const Upcoming = memo(function Upcoming({ list, today, onShow }: UpcomingProps) {
  const [first] = list
  return (
    <section aria-labelledby={UPCOMING_TITLE_ID}>
      <header className={styles.header}>
        <h2 id={UPCOMING_TITLE_ID} tabIndex={-1} className={styles.heading}>
          {upcoming.title}
        </h2>
        {first ? (
          <p className={styles.until}>
            {upcoming.until(Math.max(0, daysBetween(today, first.fecha)))}
          </p>
        ) : null}
      </header>
      {first ? (
        <ul className={styles.rows}>
          {list.map((actividad) => (
            <li key={actividad.id}>
              <button type="button" className={styles.row} onClick={() => onShow(actividad.id)}>
                <time dateTime={actividad.fecha} className={styles.when}>
                  <span aria-hidden="true">{daysOf(actividad)}</span>
                  <span className="sr-only">{longDate(actividad.fecha)}</span>
                </time>
                <span className={styles.title} dir="auto">
                  {actividad.titulo}
                </span>
                {actividad.presupuesto === null ? null : (
                  <span className={styles.amount}>{formatEuros(actividad.presupuesto)}</span>
                )}
                <span className="sr-only">{activities.status.aceptado}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.none}>{upcoming.none}</p>
      )}
    </section>
  )
})

/** Days alone, the last under the first, which leave room for the title: the hours are a press away. */
const daysOf = ({ fecha, fecha_fin }: Actividad): string =>
  ((fecha_fin && whenOf({ fecha, fecha_fin })) || shortDate(fecha))
    .replaceAll(' ', '\u00a0')
    .replace('–\u00a0', '– ')
