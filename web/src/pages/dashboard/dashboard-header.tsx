import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { Brand } from '#components/brand.tsx'
import { Button } from '#components/button.tsx'
import { ThemeSwitch } from '#components/theme-switch.tsx'
import { dashboard } from '#lib/messages.ts'
import styles from './dashboard.module.css'

type DashboardHeaderProps = { nombre: string; onSignOut: () => Promise<void> }

export function DashboardHeader({ nombre, onSignOut }: DashboardHeaderProps) {
  const [leaving, setLeaving] = useState(false)
  const leave = () => {
    setLeaving(true)
    void onSignOut().finally(() => setLeaving(false))
  }
  return (
    <header className={styles.header}>
      <Brand className={styles.brand} />
      <h1 className={styles.greeting}>{dashboard.greeting(nombre)}</h1>
      <div className={`no-print ${styles.tools}`}>
        <ThemeSwitch />
        <Button variant="quiet" busy={leaving} icon={<LogOut />} onClick={leave}>
          {dashboard.signOut}
        </Button>
      </div>
    </header>
  )
}
