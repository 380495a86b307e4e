import { useSyncExternalStore } from 'react'
import { appearance } from '#lib/messages-later.ts'
import { chooseTheme, chosenTheme, subscribeToTheme, type Theme } from '#lib/theme.ts'
import styles from './theme-choice.module.css'

const CHOICES: readonly { theme: Theme | null; label: string }[] = [
  { theme: null, label: appearance.system },
  { theme: 'light', label: appearance.light },
  { theme: 'dark', label: appearance.dark },
]

/** As the system, light or dark; remembered on the device. */
export function ThemeChoice() {
  const chosen = useSyncExternalStore(subscribeToTheme, chosenTheme)
  return (
    <fieldset className={styles.choices}>
      <legend className="sr-only">{appearance.title}</legend>
      {CHOICES.map(({ theme, label }) => (
        <label key={label} className={styles.choice}>
          <input
            type="radio"
            name="tema"
            checked={chosen === theme}
            onChange={() => chooseTheme(theme)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  )
}
