import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '#components/button.tsx'
import { DialogActions, DialogBody } from '#components/dialog-layout.tsx'
import { chunk, LazyChunk, QuietLazyChunk } from '#components/lazy-chunk.tsx'
import { useServerHas } from '#components/server-version.tsx'
import { ThemeChoice } from '#components/theme-choice.tsx'
import type { Actividad } from '#features/activities/api.ts'
import { ExportButtons } from '#features/activities/files/export-buttons.tsx'
import { ImportCalendar } from '#features/activities/import/import-calendar.tsx'
import { Trash, useTrash } from '#features/activities/sheet/trash.tsx'
import { AlertSettings } from '#features/alerts/alert-settings.tsx'
import { AccountDeletion } from '#features/auth/account-deletion.tsx'
import { EmailForm, PasswordForm } from '#features/auth/account-forms.tsx'
import { PartnerLine } from '#features/pairing/partner-line.tsx'
import type { Profile } from '#features/profile/api.ts'
import { NameForm } from '#features/profile/name-form.tsx'
import { SpecialDaysEditor } from '#features/special/special-days-editor.tsx'
import { CalendarSubscription } from '#features/subscription/calendar-subscription.tsx'
import { appearance, sections, specialDaysForm, trash } from '#lib/messages-later.ts'
import styles from './settings.module.css'

const savePhotos = chunk(() => import('#features/photos/save-photos.tsx'))
const photosLeft = chunk(() => import('#features/photos/photos-left.tsx'))

type SettingsProps = {
  /** The section named in the address. */
  section: string | null
  onClose: () => void
  profile: Profile
  /** Every plan that this person sees. */
  list: readonly Actividad[]
  /** The partner's. */
  nombre: string | null
  unlinking: boolean
  onUnlink: () => Promise<boolean>
}

/** The settings. */
export default function Settings(props: SettingsProps) {
  const { section, onClose, profile, list, nombre, unlinking, onUnlink } = props
  const { id: userId, pareja_id: parejaId } = profile
  const hasSpecialDays = useServerHas('specialDays')
  const hasPhotos = useServerHas('photos')
  const hasAccount = useServerHas('account')
  const { deleted, missing } = useTrash(userId)
  const unlink = async () => {
    const parted = await onUnlink()
    if (parted) onClose()
    return parted
  }
  return (
    <>
      <DialogBody>
        <Section id="cuenta" title={sections.account} wanted={section}>
          <NameForm userId={userId} nombre={profile.nombre} />
          <EmailForm />
          <PasswordForm />
          {hasAccount ? (
            <AccountDeletion>
              <ExportButtons list={list}>
                {hasPhotos ? <LazyChunk of={savePhotos} /> : null}
              </ExportButtons>
            </AccountDeletion>
          ) : null}
        </Section>
        <Section id="avisos" title={sections.alerts} wanted={section}>
          <AlertSettings userId={userId} />
        </Section>
        <Section id="calendario" title={sections.calendar} wanted={section}>
          {parejaId ? <CalendarSubscription key={parejaId} /> : null}
          <ImportCalendar profile={profile} list={list} />
        </Section>
        {parejaId ? (
          <Section id="pareja" title={sections.couple} wanted={section}>
            <PartnerLine nombre={nombre} busy={unlinking} onUnlink={unlink} />
            {hasSpecialDays ? (
              <>
                <h4 className={styles.part}>{specialDaysForm.title}</h4>
                <SpecialDaysEditor userId={userId} />
              </>
            ) : null}
          </Section>
        ) : null}
        <Section id="apariencia" title={appearance.title} wanted={section}>
          <ThemeChoice />
        </Section>
        {missing ? null : (
          <Section id="datos" title={sections.data} wanted={section}>
            {hasAccount ? (
              <ExportButtons list={list}>
                {hasPhotos ? <LazyChunk of={savePhotos} /> : null}
              </ExportButtons>
            ) : null}
            {hasPhotos ? <QuietLazyChunk of={photosLeft} userId={userId} /> : null}
            <h4 className={styles.part}>{trash.title}</h4>
            <Trash userId={userId} deleted={deleted} />
          </Section>
        )}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>{sections.close}</Button>
      </DialogActions>
    </>
  )
}

type SectionProps = { id: string; title: string; wanted: string | null; children: ReactNode }

function Section({ id, title, wanted, children }: SectionProps) {
  const isAsked = wanted === id
  const frame = useKeptInView(isAsked)
  const asked = isAsked ? { 'data-first-focus': true, tabIndex: -1 } : {}
  return (
    <section ref={frame} className={styles.section} aria-labelledby={`ajustes-${id}`}>
      <h3 {...asked} id={`ajustes-${id}`} className={styles.title}>
        {title}
      </h3>
      {children}
    </section>
  )
}

const OF_SOMEBODY = ['pointerdown', 'wheel', 'keydown'] as const

/** Scrolls to the named section, again when sections above it load late, until the user scrolls. */
function useKeptInView(asked: boolean) {
  const frame = useRef<HTMLElement>(null)

  useEffect(() => {
    const section = frame.current
    if (!asked || !section) return
    const observer = new ResizeObserver(() => section.scrollIntoView({ block: 'start' }))
    for (const each of section.parentElement?.children ?? []) observer.observe(each)
    const stop = () => observer.disconnect()
    for (const input of OF_SOMEBODY) window.addEventListener(input, stop, { once: true })
    return () => {
      stop()
      for (const input of OF_SOMEBODY) window.removeEventListener(input, stop)
    }
  }, [asked])

  return frame
}
