import styles from './choices.module.css'

type ChoicesProps<Value> = {
  legend: string
  /** The accessible name, visually hidden: a heading above shows the same. */
  quiet?: boolean
  name: string
  options: readonly { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
}

/** One of a few, as radio buttons side by side. */
export function Choices<Value>(props: ChoicesProps<Value>) {
  const { legend, quiet = false, name, options, value, onChange } = props
  return (
    <fieldset className={styles.choices}>
      <legend className={quiet ? 'sr-only' : undefined}>{legend}</legend>
      {options.map((option) => (
        <label key={option.label} className={styles.choice}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <bdi>{option.label}</bdi>
        </label>
      ))}
    </fieldset>
  )
}
