import type { ReactNode } from 'react'
import { Button } from '#components/button.tsx'
import { DialogActions, DialogBody } from '#components/dialog-layout.tsx'
import { ThemeChoice } from '#components/theme-choice.tsx'
import { Trash, useTrash } from '#features/activities/trash.tsx'
import { AlertSwitch } from '#features/alerts/alert-switch.tsx'
import { PartnerLine } from '#features/pairing/partner-line.tsx'
import { CalendarSubscription } from '#features/subscription/calendar-subscription.tsx'
import { settings } from '#lib/messages.ts'
import { appearance, trash } from '#lib/messages-later.ts'
import styles from './settings.module.css'

type SettingsProps = {
  /** The section that was asked for by its address. */
  section: string | null
  onClose: () => void
  userId: string
  parejaId: string | null
  nombre: string | null
  unlinking: boolean
  onUnlink: () => Promise<boolean>
}

/** Everything that is set once and seldom looked at. */
export default function Settings(props: SettingsProps) {
  const { section, onClose, userId, parejaId, nombre, unlinking, onUnlink } = props
  const { deleted, missing } = useTrash(userId)
  const unlink = async () => {
    const parted = await onUnlink()
    if (parted) onClose()
    return parted
  }
  return (
    <>
      <DialogBody>
        {parejaId ? (
          <Section id="pareja" title={settings.couple} wanted={section}>
            <PartnerLine nombre={nombre} busy={unlinking} onUnlink={unlink} />
          </Section>
        ) : null}
        <Section id="avisos" title={settings.alerts} wanted={section}>
          <AlertSwitch />
        </Section>
        {parejaId ? (
          <Section id="calendario" title={settings.calendar} wanted={section}>
            <CalendarSubscription key={parejaId} />
          </Section>
        ) : null}
        {missing ? null : (
          <Section id="datos" title={trash.title} wanted={section}>
            <Trash userId={userId} deleted={deleted} />
          </Section>
        )}
        <Section id="apariencia" title={appearance.title} wanted={section}>
          <ThemeChoice />
        </Section>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>{settings.close}</Button>
      </DialogActions>
    </>
  )
}

type SectionProps = { id: string; title: string; wanted: string | null; children: ReactNode }

function Section({ id, title, wanted, children }: SectionProps) {
  const asked = wanted === id ? { 'data-first-focus': true, tabIndex: -1 } : {}
  return (
    <section className={styles.section} aria-labelledby={`ajustes-${id}`}>
      <h3 {...asked} id={`ajustes-${id}`} className={styles.title}>
        {title}
      </h3>
      {children}
    </section>
  )
}
