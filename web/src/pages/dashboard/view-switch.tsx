import { useRef } from 'react'
import { Button } from '#components/button.tsx'
import { useServerHas } from '#components/server-version.tsx'
import type { Vista } from '#lib/address.ts'
import { views } from '#lib/messages.ts'
import styles from './view-switch.module.css'

const ALL: readonly Vista[] = ['mes', 'semana', 'agenda', 'ideas']

type ViewSwitchProps = { vista: Vista; onChange: (vista: Vista) => void }

/** The ways to look at the plans. */
export function ViewSwitch({ vista, onChange }: ViewSwitchProps) {
  const hasIdeas = useServerHas('ideas')
  const nav = useRef<HTMLElement>(null)
  const choose = (each: Vista) => {
    if (each === vista) return
    onChange(each)
    // On a phone the view is below the visible part: without scrolling, a press would seem to do nothing.
    const bottom = nav.current?.getBoundingClientRect().bottom ?? 0
    if (bottom > window.innerHeight / 2) nav.current?.scrollIntoView({ block: 'start' })
  }
  return (
    <nav ref={nav} className={`no-print ${styles.views}`} aria-label={views.label}>
      {ALL.filter((each) => each !== 'ideas' || hasIdeas).map((each) => (
        <Button
          key={each}
          variant="quiet"
          className={styles.view}
          aria-current={each === vista ? 'page' : undefined}
          onClick={() => choose(each)}
        >
          {views[each]}
        </Button>
      ))}
    </nav>
  )
}
