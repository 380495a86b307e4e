import { BellRing, CalendarHeart, type LucideIcon, Wallet } from 'lucide-react'
import { useLayoutEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { Brand } from '#components/brand.tsx'
import { Button } from '#components/button.tsx'
import { Page } from '#components/page.tsx'
import { ThemeSwitch } from '#components/theme-switch.tsx'
import { landing, product } from '#lib/messages.ts'
import { paths } from '#lib/paths.ts'
import { farewellSlot } from '#lib/stored.ts'
import styles from './landing-page.module.css'
import { LandingPreview } from './landing-preview.tsx'

const features: { key: keyof typeof landing.features; Icon: LucideIcon }[] = [
  { key: 'calendar', Icon: CalendarHeart },
  { key: 'budget', Icon: Wallet },
  { key: 'live', Icon: BellRing },
]

/** `onIntent` runs when the user is about to start, so that the next page can be prefetched. */
export function LandingPage({ onIntent }: { onIntent: () => void }) {
  const navigate = useNavigate()
  const [farewell] = useState(() => farewellSlot.get() !== null)
  // Removed before the first paint: a reload must not show the message again.
  useLayoutEffect(() => farewellSlot.clear(), [])
  return (
    <div className={styles.frame}>
      <header className={styles.top}>
        <span aria-hidden="true">
          <Brand />
        </span>
        <ThemeSwitch />
      </header>
      <Page className={styles.page}>
        <section className={styles.hero}>
          <div>
            <h1 className={styles.title}>{product.name}</h1>
            {farewell ? (
              <p role="status" className={styles.farewell}>
                {landing.farewell}
              </p>
            ) : null}
            <p className={styles.tagline}>{landing.tagline}</p>
            <Button
              variant="primary"
              className={styles.start}
              onPointerEnter={onIntent}
              onFocus={onIntent}
              onClick={() => navigate(paths.auth)}
            >
              {landing.start}
            </Button>
          </div>
          <LandingPreview />
        </section>
        <ul className={styles.features}>
          {features.map(({ key, Icon }) => (
            <li key={key} className={styles.feature}>
              <Icon className={styles.icon} />
              <h2 className={styles.name}>{landing.features[key].title}</h2>
              <p className={styles.text}>{landing.features[key].text}</p>
            </li>
          ))}
        </ul>
      </Page>
    </div>
  )
}
