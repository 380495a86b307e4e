import { type ReactNode, useId } from 'react'
import styles from './field.module.css'

export type ControlProps = {
  id: string
  className: string | undefined
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

type FieldProps = {
  label: string
  /** Shown beside the label but not part of the field's accessible name, as in «opcional». */
  note?: string
  hint?: string | undefined
  /** Shown instead of the hint. */
  error?: string | undefined
  /** Drawn inside the control's right end. */
  suffix?: ReactNode
  children: (control: ControlProps) => ReactNode
}

/** Label, control, hint and error of one field, tied together for assistive tech. */
export function Field({ label, note, hint, error, suffix, children }: FieldProps) {
  const id = useId()
  const says = error ?? hint
  return (
    <div className={styles.field}>
      <div className={styles.head}>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        {note ? <span className={styles.note}>{note}</span> : null}
      </div>
      <div className={styles.box}>
        {children({
          id,
          className: suffix ? `${styles.control} ${styles.suffixed}` : styles.control,
          'aria-invalid': error ? true : undefined,
          'aria-describedby': says ? `${id}-says` : undefined,
        })}
        {suffix ? <span className={styles.suffix}>{suffix}</span> : null}
      </div>
      {says ? (
        <p id={`${id}-says`} className={error ? styles.error : styles.hint}>
          {says}
        </p>
      ) : null}
    </div>
  )
}
