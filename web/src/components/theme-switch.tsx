import { Moon, Sun } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { product } from '#lib/messages.ts'
import { chooseTheme, currentTheme, subscribeToTheme } from '#lib/theme.ts'
import { Button } from './button.tsx'

export function ThemeSwitch() {
  const dark = useSyncExternalStore(subscribeToTheme, currentTheme) === 'dark'
  const Icon = dark ? Moon : Sun
  return (
    <Button
      variant="quiet"
      aria-pressed={dark}
      aria-label={product.theme}
      title={product.theme}
      icon={<Icon />}
      onClick={() => chooseTheme(dark ? 'light' : 'dark')}
    />
  )
}
