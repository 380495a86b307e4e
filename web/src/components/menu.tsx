import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Button } from './button.tsx'
import styles from './menu.module.css'

export type MenuItem = {
  label: string
  icon: ReactNode
  danger?: boolean
  /** Why it is disabled. */
  off?: string | undefined
  run: () => void
}

type MenuProps = {
  label: string
  icon: ReactNode
  items: readonly MenuItem[]
  /** Its label is shown beside the icon. */
  worded?: boolean
  up?: boolean
}

const folded = (text: string) => text.normalize('NFD').toLowerCase()

/** A button that unfolds a list of actions: arrows, Home, End and letters move in it, Escape leads back. */
export function Menu({ label, icon, items, worded = false, up = false }: MenuProps) {
  const [open, setOpen] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()

  // Nothing to clean up: each opening brings a new list.
  useLayoutEffect(() => {
    const menu = list.current
    if (!open || !menu) return
    const edge = menu.closest('[role=dialog]')?.getBoundingClientRect().left ?? 0
    menu.classList.toggle(styles.toTheRight ?? '', menu.getBoundingClientRect().left < edge)
  }, [open])

  useEffect(() => {
    if (!open) return
    const leave = (event: Event) => {
      if (event.target instanceof Node && !frame.current?.contains(event.target)) setOpen(false)
    }
    list.current?.querySelector('button')?.focus()
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
    }
  }, [open])

  const close = () => {
    setOpen(false)
    frame.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus()
  }

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const entries = [...(list.current?.querySelectorAll('button') ?? [])]
    const next = entryAfterKey(event.key, entries, items)
    if (event.key === 'Escape') close()
    else if (next) next.focus()
    else return
    event.preventDefault()
  }

  return (
    <div ref={frame} className={styles.frame}>
      <Button
        variant="quiet"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={worded ? undefined : label}
        icon={icon}
        onClick={() => setOpen(!open)}
      >
        {worded ? label : null}
      </Button>
      {open ? (
        <div
          ref={list}
          id={id}
          role="menu"
          tabIndex={-1}
          aria-label={label}
          className={`${styles.list} ${up ? styles.up : ''}`}
          onKeyDown={onKeyDown}
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className={`${styles.item} ${item.danger ? styles.danger : ''}`}
              aria-disabled={item.off ? true : undefined}
              title={item.off}
              onClick={() => {
                if (item.off) return
                close()
                item.run()
              }}
            >
              {item.icon}
              {item.label}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  )
}

/** Which of the menu's entries a key moves to; undefined for keys that the menu does not use. */
function entryAfterKey<T extends Element>(
  key: string,
  entries: readonly T[],
  items: readonly MenuItem[],
): T | undefined {
  const at = entries.findIndex((entry) => entry.matches(':focus'))
  const last = entries.length - 1
  if (key === 'ArrowDown') return entries[at === last ? 0 : at + 1]
  if (key === 'ArrowUp') return entries[at <= 0 ? last : at - 1]
  if (key === 'Home') return entries[0]
  if (key === 'End') return entries[last]
  if ([...key].length !== 1 || key === ' ') return undefined
  const order = [...entries.keys()].map((step) => (at + 1 + step) % entries.length)
  const found = order.find((place) => folded(items[place]?.label ?? '').startsWith(folded(key)))
  return found === undefined ? undefined : entries[found]
}
