import { MapPin } from 'lucide-react'
import { whenAndWhere } from '#lib/messages.ts'
import type { Actividad } from '../api.ts'
import { whenOf } from '../span.ts'
import styles from './when-where.module.css'

/** A map search in a new window without opener or referrer; no request is made before the press. */
const mapOf = (lugar: string): string =>
  `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(lugar)}`

/** The hour, the days where they are several, and the place; nothing where the date says it all. */
export function WhenWhere({ actividad }: { actividad: Actividad }) {
  const { lugar, regla } = actividad
  const when = whenOf(actividad)
  if (!when && !lugar && !regla) return null
  return (
    <p className={styles.line}>
      {when ? <span>{when}</span> : null}
      {regla ? <span>{whenAndWhere.repeats[regla]}</span> : null}
      {lugar ? (
        <a
          href={mapOf(lugar)}
          target="_blank"
          rel="noopener noreferrer"
          className={styles.place}
          title={whenAndWhere.map}
          aria-label={`${whenAndWhere.map}: ${lugar}`}
        >
          <MapPin aria-hidden="true" />
          <bdi>{lugar}</bdi>
        </a>
      ) : null}
    </p>
  )
}
