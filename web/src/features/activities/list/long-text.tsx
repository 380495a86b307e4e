import { useLayoutEffect, useRef, useState } from 'react'
import { TextButton } from '#components/button.tsx'
import { activities } from '#lib/messages.ts'
import { LinkedText } from '../sheet/linked-text.tsx'
import styles from './long-text.module.css'

/** Texts up to this length fit three lines of the narrowest card. */
const SHORT = 60

/** Three lines of somebody's text, and the rest on demand where there is more. */
export function LongText({ text }: { text: string }) {
  const box = useRef<HTMLParagraphElement>(null)
  const [cut, setCut] = useState(false)
  const [open, setOpen] = useState(false)

  // Nothing to clean up: it measures once for each text that may be cut at all.
  useLayoutEffect(() => {
    const { current } = box
    const mayBe = text.length > SHORT || text.includes('\n')
    setCut(mayBe && current !== null && current.scrollHeight > current.clientHeight + 1)
  }, [text])

  return (
    <div>
      <p ref={box} className={`${styles.text} ${open ? '' : styles.short}`} dir="auto">
        <LinkedText text={text} />
      </p>
      {cut || open ? (
        <TextButton className={styles.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? activities.readLess : activities.readMore}
        </TextButton>
      ) : null}
    </div>
  )
}
