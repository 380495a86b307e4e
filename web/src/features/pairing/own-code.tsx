import { Copy, Link2, Share2 } from 'lucide-react'
import { Button } from '#components/button.tsx'
import { copyText } from '#lib/copy.ts'
import { dateOf, longDate } from '#lib/dates.ts'
import { pairing, product } from '#lib/messages.ts'
import type { Invitation } from './api.ts'
import { invitationLink, showCode } from './code.ts'
import styles from './pairing-card.module.css'

/** The code to pass on, the same as a link, and the phone's share sheet where there is one. */
export function OwnCode({ invitation }: { invitation: Invitation }) {
  const code = showCode(invitation.codigo)
  const link = invitationLink(invitation.codigo, window.location.origin)
  const share = () =>
    navigator
      .share({ title: product.name, text: pairing.shareText, url: link })
      .catch(() => undefined)
  return (
    <div className={styles.own}>
      <p className={styles.text}>{pairing.created}</p>
      <p className={styles.code}>{code}</p>
      <p className={styles.valid}>
        {pairing.valid(longDate(dateOf(new Date(invitation.caduca_en))))}
      </p>
      <p className={styles.waiting}>{pairing.waiting}</p>
      <div className={styles.ways}>
        <Button icon={<Copy />} onClick={() => void copyText(code)}>
          {pairing.copyCode}
        </Button>
        <Button icon={<Link2 />} onClick={() => void copyText(link)}>
          {pairing.copyLink}
        </Button>
        {'share' in navigator ? (
          <Button icon={<Share2 />} onClick={() => void share()}>
            {pairing.share}
          </Button>
        ) : null}
      </div>
    </div>
  )
}
