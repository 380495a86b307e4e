import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { SETTINGS_PARAM } from '#lib/paths.ts'

const SECTIONS = ['cuenta', 'pareja', 'avisos', 'calendario', 'datos', 'apariencia']

export type SettingsAddress = ReturnType<typeof useSettingsAddress>

/** Whether the settings are open. An address may open one of their sections; it is read once and removed. */
export function useSettingsAddress() {
  const [params, setParams] = useSearchParams()
  const asked = params.get(SETTINGS_PARAM)
  const section = asked !== null && SECTIONS.includes(asked) ? asked : null
  const [opened, setOpened] = useState<{ section: string | null } | null>(
    section === null ? null : { section },
  )

  // Nothing to clean up: the parameter is gone afterwards.
  useEffect(() => {
    if (asked === null) return
    setParams(
      (before) => {
        before.delete(SETTINGS_PARAM)
        return before
      },
      { replace: true },
    )
  }, [asked, setParams])

  return {
    isOpen: opened !== null,
    section: opened?.section ?? null,
    open: () => setOpened({ section: null }),
    close: () => setOpened(null),
  }
}
