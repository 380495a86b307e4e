import { useSyncExternalStore } from 'react'
import { appearance } from '#lib/messages-later.ts'
import { chooseTheme, chosenTheme, subscribeToTheme, type Theme } from '#lib/theme.ts'
import { Choices } from './choices.tsx'

const OPTIONS: readonly { value: Theme | null; label: string }[] = [
  { value: null, label: appearance.system },
  { value: 'light', label: appearance.light },
  { value: 'dark', label: appearance.dark },
]

/** As the system, light or dark; remembered on the device. */
export function ThemeChoice() {
  const chosen = useSyncExternalStore(subscribeToTheme, chosenTheme)
  return (
    <Choices
      legend={appearance.title}
      quiet
      name="tema"
      options={OPTIONS}
      value={chosen}
      onChange={chooseTheme}
    />
  )
}
