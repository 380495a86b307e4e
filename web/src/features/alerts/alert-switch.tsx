import { BellOff, BellRing } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/button.tsx'
import { alerts } from '#lib/messages-later.ts'
import styles from './alert-switch.module.css'
import { systemAlerts } from './system-alerts.ts'

/** Permission is asked by pressing this and nowhere else. */
export function AlertSwitch() {
  const [state, setState] = useState(systemAlerts.state)
  if (state === 'unsupported') return null
  const on = state === 'on'
  const Icon = on ? BellRing : BellOff
  const toggle = () => {
    if (on) setState(systemAlerts.turnOff())
    else void systemAlerts.turnOn().then(setState)
  }
  return (
    <div className={styles.row}>
      <Button
        variant="quiet"
        role="switch"
        aria-checked={on}
        aria-describedby="avisos-detalle"
        aria-disabled={state === 'blocked' || undefined}
        icon={<Icon />}
        onClick={toggle}
      >
        {alerts.label}
        <span className={styles.track} aria-hidden="true" />
      </Button>
      <p id="avisos-detalle" className={styles.detail}>
        {state === 'blocked' ? alerts.blocked : alerts.detail}
      </p>
    </div>
  )
}
