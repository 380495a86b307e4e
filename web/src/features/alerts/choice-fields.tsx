import { useState } from 'react'
import { Field } from '#components/field.tsx'
import styles from './devices.module.css'

type BoxProps = { label: string; checked: boolean; onChange: () => void }

export const Box = ({ label, checked, onChange }: BoxProps) => (
  <label className={styles.label}>
    <input type="checkbox" className={styles.box} checked={checked} onChange={onChange} />
    {label}
  </label>
)

type HourProps = { label: string; value: string; onChange: (hour: string) => void }

/** Reports the hour on blur: while it is typed it is incomplete. */
export function Hour({ label, value, onChange }: HourProps) {
  const known = value.slice(0, 5)
  const [typed, setTyped] = useState(known)
  return (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="time"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={() => {
            if (typed === '') setTyped(known)
            else if (typed !== known) onChange(typed)
          }}
        />
      )}
    </Field>
  )
}
