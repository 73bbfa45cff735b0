/** What the clinic's portal and its back office call, and what they expect. */
import { expect } from 'chai';
import type { Loose } from '../../support/client.js';
import type { Endpoint } from '../../support/other-origin.js';
import { PDF } from '../../support/pictures.js';
import { waitUntil } from '../../support/until.js';

const EVE = {
  email: 'eve@mail.example',
  password: 'long enough',
  full_name: 'Eve M.',
  national_id: 'NIN-88231',
  address: { street: '1 Clinic Road', city: 'Jos' },
};
const STAFF = { 'x-staff-key': 'staff-7c2b' };

export const ORIGINS = ['https://portal.clinic.example'];

export function createClinicEndpoints(): Endpoint[] {
  let eve: Loose = {};
  let doctor: Loose = {};
  let visit: Loose = {};
  const createTokenHeader = () => ({ 'x-access-token': String(eve['token']) });

  return [
    [
      'register_patient',
      async (page) => {
        eve = await page.post('register_patient', EVE);
        expect(eve).to.have.all.keys('id', 'email', 'full_name', 'address', 'token');
        expect(eve['address']).to.deep.equal(EVE.address);
        await page.expectRejected(409, 'register_patient', EVE);
        await page.expectRejected(422, 'register_patient', {
          ...EVE,
          email: 'x@mail.example',
          address: { street: 'S' },
        });
      },
    ],
    [
      'patient_login',
      async (page) => {
        eve = await page.post('patient_login', { email: EVE.email, password: EVE.password });
        expect(eve).to.have.all.keys('id', 'full_name', 'token');
        await page.expectRejected(401, 'patient_login', { email: 'none@mail.example', password: EVE.password });
      },
    ],
    [
      'patient_profile',
      async (page) => {
        const profile = await page.post('patient_profile', {}, createTokenHeader());
        expect(profile).to.deep.include({ national_id: EVE.national_id, address: EVE.address, phone: null });
        await page.expectRejected(401, 'patient_profile', {}, { 'x-access-token': 'v4.local.nothing' });
      },
    ],
    [
      'update_phone',
      async (page) => {
        const changed = await page.post('update_phone', { phone: '0801234567' }, createTokenHeader());
        expect(changed).to.deep.equal({ id: eve['id'], phone: '0801234567', address: EVE.address });
        const address = { street: '2 Hill Top', city: 'Jos' };
        expect(await page.post('update_phone', { phone: '0801234567', address }, createTokenHeader())).to.deep.include({
          address,
        });
      },
    ],
    [
      'access_history',
      async (page) => {
        let seen: unknown = null;
        await waitUntil(
          async () => (seen = await page.post('access_history', {}, createTokenHeader())) !== null,
          'the note of the visit',
        );
        expect(seen).to.include({ event: 'profile viewed', ip: '127.0.0.1' });
      },
    ],
    [
      'add_doctor',
      async (page) => {
        const made = { name: 'Dr. Bello', speciality: 'cardiology', fee: 150.5 };
        doctor = await page.post('add_doctor', made, STAFF);
        expect(doctor).to.deep.include({ ...made, available: true });
        await page.expectRejected(401, 'add_doctor', made, { 'x-staff-key': 'guess' });
      },
    ],
    [
      'list_doctors',
      async (page) => {
        const row = { id: doctor['id'], name: 'Dr. Bello', speciality: 'cardiology', fee: 150.5 };
        expect(await page.post('list_doctors')).to.deep.equal(row);
      },
    ],
    [
      'book_appointment',
      async (page) => {
        const wanted = { doctor_id: doctor['id'], starts_at: '2030-05-01T09:00:00Z' };
        visit = await page.post('book_appointment', wanted, createTokenHeader());
        expect(visit).to.include({ doctor_id: doctor['id'], status: 'booked', reason: null });
        await page.expectRejected(409, 'book_appointment', wanted, createTokenHeader());
      },
    ],
    [
      'my_appointments',
      async (page) => {
        const row = await page.post('my_appointments', {}, createTokenHeader());
        expect(row).to.include({ id: visit['id'], status: 'booked', doctor: 'Dr. Bello', speciality: 'cardiology' });
      },
    ],
    [
      'write_prescription',
      async (page) => {
        const wrote = { appointment_id: visit['id'], drug: 'aspirin', notes: 'after meals' };
        expect(await page.post('write_prescription', wrote, STAFF)).to.include({ drug: 'aspirin' });
        await page.expectRejected(401, 'write_prescription', wrote);
      },
    ],
    [
      'my_prescriptions',
      async (page) => {
        const row = await page.post('my_prescriptions', {}, createTokenHeader());
        expect(row).to.include({ drug: 'aspirin', notes: 'after meals' });
      },
    ],
    [
      'upload_lab_result',
      async (page) => {
        const form = new FormData();
        form.set('label', 'blood count');
        form.append('file', new Blob([new Uint8Array(PDF)], { type: 'application/pdf' }), 'count.pdf');
        const row = await page.upload('upload_lab_result', form, createTokenHeader());
        expect(row).to.include({ label: 'blood count', file_size: PDF.length });
        expect(row['url']).to.be.a('string');
      },
    ],
    [
      'my_lab_results',
      async (page) => {
        expect(await page.post('my_lab_results', {}, createTokenHeader())).to.include({ label: 'blood count' });
      },
    ],
    [
      'cancel_appointment',
      async (page) => {
        const body = { appointment_id: visit['id'] };
        expect(await page.post('cancel_appointment', body, createTokenHeader())).to.include({ status: 'cancelled' });
        await page.expectRejected(404, 'cancel_appointment', body, createTokenHeader());
        expect(await page.post('my_appointments', {}, createTokenHeader())).to.equal(null);
      },
    ],
    ['appointment_reminder', async (page) => void (await page.expectRejected(404, 'appointment_reminder'))],
  ];
}
