import { Mark } from '#components/mark.tsx'
import type { Estado } from '#lib/database.ts'
import { WEEKDAYS } from '#lib/dates.ts'
import styles from './landing-preview.module.css'

const DAYS = Array.from({ length: 28 }, (_, index) => index + 1)
const TODAY = 12
const MARKS: Record<number, Estado[]> = {
  3: ['aceptado'],
  7: ['aceptado', 'rechazado'],
  12: ['pendiente'],
  14: ['pendiente', 'aceptado'],
  20: ['aceptado'],
  21: ['pendiente'],
  26: ['rechazado'],
}

/** A month as the dashboard draws it, decorative (`aria-hidden`). */
export function LandingPreview() {
  return (
    <div className={styles.preview} aria-hidden="true">
      <p className={styles.month}>Febrero</p>
      <div className={styles.grid}>
        {WEEKDAYS.map(({ short }) => (
          <span key={short} className={styles.weekday}>
            {short}
          </span>
        ))}
        {DAYS.map((day) => (
          <span key={day} className={day === TODAY ? `${styles.day} ${styles.today}` : styles.day}>
            {day}
            <span className={styles.marks}>
              {MARKS[day]?.map((estado) => (
                <Mark key={estado} estado={estado} />
              ))}
            </span>
          </span>
        ))}
      </div>
      <p className={styles.plan}>
        <Mark estado="aceptado" />
        <span>Cena en el puerto</span>
        <strong>48,00 €</strong>
      </p>
      <p className={styles.plan}>
        <Mark estado="pendiente" />
        <span>Escapada a la sierra</span>
        <strong>120,00 €</strong>
      </p>
    </div>
  )
}
